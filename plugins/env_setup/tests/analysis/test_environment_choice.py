import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer
from evograft_env_setup.analysis.environment_choice import choose_environment
from evograft_env_setup.environments import Environments
from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest

ENVIRONMENTS = Environments.shipped()


def needing(ecosystem, count, purpose="run", traits=()):
    packages = (Dependency(name=f"p{n}", ecosystem=ecosystem, purpose=purpose) for n in range(count))
    return ProjectManifest(dependencies=tuple(packages), traits=frozenset(traits))


def chosen(*paths, task=""):
    return choose_environment(dict.fromkeys(paths, ProjectManifest()), ENVIRONMENTS, task).environment.name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("requirements.txt", "python"),
        ("pyproject.toml", "python"),
        ("setup.py", "python"),
        ("setup.cfg", "python"),
        ("Pipfile", "python"),
        ("poetry.lock", "python"),
        ("uv.lock", "python"),
        ("requirements/base.txt", "python"),
        ("environment.yml", "miniforge"),
        ("environment.yaml", "miniforge"),
        ("condaenv.yaml", "miniforge"),
        ("package.json", "node"),
        ("pom.xml", "java"),
        ("build.gradle", "java"),
        ("build.gradle.kts", "java"),
        ("go.mod", "go"),
        ("Cargo.toml", "rust"),
        ("Makefile", "python"),
        ("Dockerfile", "python"),
        ("package-lock.json", "python"),
    ],
)
def test_a_single_file_selects_its_environment(path, name):
    assert chosen(path) == name


def test_without_any_file_python_is_the_default():
    choice = choose_environment({}, ENVIRONMENTS)
    assert choice.environment.name == "python"
    assert choice.reason == "no file says which environment is needed; python is the default"


def test_where_there_is_a_file_of_conda_a_list_for_pip_does_not_matter():
    assert (
        choose_environment(
            {"requirements.txt": needing("python", 50), "environment.yml": ProjectManifest()}, ENVIRONMENTS
        ).environment.name
        == "miniforge"
    )


def test_the_language_with_most_dependencies_wins():
    files = {"requirements.txt": needing("python", 3), "package.json": needing("node", 9)}
    choice = choose_environment(files, ENVIRONMENTS)
    assert choice.environment.name == "node"
    assert choice.reason == "python and node match; node has the most dependencies, 9"


def test_a_helper_package_json_makes_no_node_project():
    helper = needing("node", 12, "test", traits=("helper",))
    assert (
        choose_environment(
            {"requirements.txt": needing("python", 3), "package.json": helper}, ENVIRONMENTS
        ).environment.name
        == "python"
    )
    below = {"package.json": helper, "backend/requirements.txt": needing("python", 3)}
    assert choose_environment(below, ENVIRONMENTS).environment.name == "python"


def test_with_nothing_to_run_what_tests_need_decides():
    files = {"requirements.txt": ProjectManifest(), "package.json": needing("node", 2, "test")}
    assert choose_environment(files, ENVIRONMENTS).environment.name == "node"


def test_a_task_decides_before_dependencies_do():
    files = {"requirements.txt": needing("python", 9), "go.mod": needing("go", 1)}
    choice = choose_environment(files, ENVIRONMENTS, "Rewrite the handler in Go; the Python client stays. See main.go.")
    assert choice.environment.name == "go"
    assert choice.reason == "python and go match; the task is mainly about go"


def test_a_task_does_not_choose_what_no_file_speaks_for():
    assert chosen("requirements.txt", task="Write it in Rust") == "python"
    assert chosen(task="Write it in Rust") == "python"


def test_a_task_that_names_a_manifest_is_about_its_language():
    assert chosen("go.mod", "package.json", task="go.mod の Hugo モジュールを更新して") == "go"
    assert chosen("go.mod", "package.json", task="Bump what web/package.json asks for") == "node"
    assert chosen("go.mod", "requirements.txt", task="Pin docs/requirements.txt.") == "python"


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Go through the list and go on.", "python"),
        ("Please make it go faster. Go for it!", "python"),
        ("Fix the test in Go", "go"),
        ("Goのテストを直す", "go"),
        ("fix cmd/server/main.go", "go"),
        ("golang: upgrade", "go"),
        ("The JavaScript is fine", "python"),
    ],
)
def test_the_verb_is_not_taken_for_the_language(task, name):
    files = {"requirements.txt": needing("python", 2), "go.mod": needing("go", 1), "pom.xml": ProjectManifest()}
    assert choose_environment(files, ENVIRONMENTS, task).environment.name == name


def test_a_task_about_two_languages_as_much_decides_nothing():
    files = {"requirements.txt": needing("python", 2), "go.mod": needing("go", 1)}
    assert choose_environment(files, ENVIRONMENTS, "Port it from Python to Go").environment.name == "python"


def test_a_build_file_decides_between_as_many_dependencies():
    choice = choose_environment({"requirements.txt": ProjectManifest(), "pom.xml": ProjectManifest()}, ENVIRONMENTS)
    assert choice.environment.name == "java"
    assert choice.reason == "python and java match; with as many dependencies java has a build file"


def test_an_exact_tie_falls_to_the_order():
    assert chosen("pyproject.toml", "pom.xml", "go.mod") == "python"
    assert chosen("Cargo.toml", "go.mod", "pom.xml", "package.json") == "node"
    assert chosen("go.mod", "Cargo.toml") == "go"


def test_folders_below_are_asked_where_the_root_says_nothing():
    files = {"Makefile": ProjectManifest(), "api/go.mod": needing("go", 2), "web/package.json": needing("node", 5)}
    assert choose_environment(files, ENVIRONMENTS).environment.name == "node"
    assert choose_environment({**files, "setup.py": ProjectManifest()}, ENVIRONMENTS).environment.name == "python"


def test_an_environment_of_the_users_takes_part():
    more = Environments.changed(
        {
            "ruby": {
                "description": "Ruby with Bundler",
                "image": "ruby:3",
                "signs": ["Gemfile"],
                "recipes": [{"steps": ["bundle install"]}],
                "verification": [{"command": "ruby -e 'puts :OK'", "expected_output": "OK"}],
            }
        }
    )
    assert choose_environment({"Gemfile": ProjectManifest()}, more).environment.name == "ruby"
    assert choose_environment({"Gemfile": ProjectManifest()}, ENVIRONMENTS).environment.name == "python"


SIGNS = [
    "requirements.txt",
    "pyproject.toml",
    "environment.yml",
    "package.json",
    "pom.xml",
    "go.mod",
    "Cargo.toml",
    "sub/go.mod",
    "sub/package.json",
]
ECOSYSTEMS = st.sampled_from(["python", "conda", "node", "java", "go", "rust"])
FILES = st.dictionaries(st.sampled_from(SIGNS), st.builds(needing, ECOSYSTEMS, st.integers(0, 4)), max_size=6)
TASKS = st.sampled_from(["", "fix the Python code", "a test in Go", "port it from Java to Rust"])
IRRELEVANT = st.dictionaries(
    st.sampled_from(
        ["Makefile", "Dockerfile", "go.sum", "sub/Makefile", "composer.json", "yarn.lock", "a/b/c/Makefile"]
    ),
    st.builds(needing, st.just("php"), st.integers(0, 9)),
)


@given(FILES, TASKS, IRRELEVANT)
def test_a_file_that_speaks_for_no_environment_changes_nothing(files, task, irrelevant):
    assert choose_environment(files | irrelevant, ENVIRONMENTS, task) == choose_environment(files, ENVIRONMENTS, task)


@given(FILES, TASKS, st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(files, task, generator: random.Random):
    shuffled = list(files.items())
    generator.shuffle(shuffled)
    assert choose_environment(dict(shuffled), ENVIRONMENTS, task) == choose_environment(files, ENVIRONMENTS, task)


@given(FILES, TASKS)
def test_what_is_chosen_has_a_file_that_speaks_for_it_unless_none_does(files, task):
    choice = choose_environment(files, ENVIRONMENTS, task)
    names = {path.rpartition("/")[2] for path in files}
    assert not files or any(choice.environment.is_sign(name) for name in names)


@pytest.mark.parametrize(
    "tool_settings",
    [{"setup.cfg": "[flake8]\nmax-line-length = 99"}, {"pyproject.toml": "[tool.ruff]\nline-length = 9"}],
)
@pytest.mark.parametrize(
    ("other", "name"),
    [({"package.json": "{"}, "node"), ({"package.json": "{}"}, "node"), ({"go.mod": "module x"}, "go")],
)
def test_settings_of_linters_make_no_python_project(tmp_path, tool_settings, other, name):
    for path, text in (tool_settings | other).items():
        (tmp_path / path).write_text(text)
    assert EnvironmentAnalyzer(tmp_path).analyze().environment_type == name


def test_settings_of_tests_say_that_a_project_is_in_python(tmp_path):
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\naddopts = -q")
    (tmp_path / "go.mod").write_text("module x")
    assert EnvironmentAnalyzer(tmp_path).analyze().environment_type == "python"


@pytest.mark.parametrize("path", ["pyproject.toml", "setup.py"])
def test_a_package_whose_manifest_is_broken_is_installed_all_the_same_so_that_pip_says_what_is_wrong(tmp_path, path):
    (tmp_path / path).write_text("[project\nname =(")
    analysis = EnvironmentAnalyzer(tmp_path).analyze()
    assert analysis.setup_commands[-1] == "pip install -e ."
    assert [each.file for each in analysis.findings] == [path]


def test_a_task_about_the_language_of_a_folder_below_chooses_it():
    files = {"go.mod": needing("go", 9), "web/package.json": needing("node", 3)}
    choice = choose_environment(files, ENVIRONMENTS, "Fix the React component in web/src/App.tsx")
    assert choice.environment.name == "node"
    assert choice.reason == "the task is mainly about node, and there is web/package.json"
    assert choose_environment(files, ENVIRONMENTS, "Fix the handler in Go").environment.name == "go"
    assert choose_environment(files, ENVIRONMENTS).environment.name == "go"


def test_packages_of_another_language_that_are_left_out_are_a_finding(tmp_path):
    (tmp_path / "web").mkdir()
    (tmp_path / "go.mod").write_text("module x\nrequire example.org/a v1.0.0\n")
    (tmp_path / "web" / "package.json").write_text('{"dependencies": {"react": "19"}}')
    (finding,) = EnvironmentAnalyzer(tmp_path).analyze().findings
    assert finding.file == "web/package.json"
    assert finding.what.startswith("asks for packages of node, which are left out")


def test_a_list_for_pip_beside_a_file_of_conda_is_not_left_out(tmp_path):
    (tmp_path / "environment.yml").write_text("dependencies: [numpy]\n")
    (tmp_path / "requirements.txt").write_text("flask\n")
    assert EnvironmentAnalyzer(tmp_path).analyze().findings == ()
