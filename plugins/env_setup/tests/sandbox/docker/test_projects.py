"""Projects of each kind: `evo env setup` gets them to where tests and builds can run."""

import json
import shutil
import subprocess

import pytest
from fault_server import FaultServer, answer

pytestmark = pytest.mark.docker

VERSIONS = "import importlib.metadata as m; print(m.version('click'), m.version('packaging'))"


@pytest.fixture(scope="module")
def pip(bench):
    project = bench.copy("pip")
    return project, bench.set_up(project)


@pytest.fixture(scope="module")
def npm(bench):
    project = bench.copy("npm")
    return project, bench.set_up(project)


@pytest.fixture
def model(monkeypatch):
    """Plays a model; its words for `evo env setup` come with it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    with FaultServer() as server:
        yield server, ("--llm=openai:some-model", f"--set=llm.base_url={server.base_url}", "--set=llm.retries=0")


def locked(project, name):
    """The version that a lock file has of a package."""
    lines = (project / name).read_text().splitlines()
    start = lines.index('name = "click"')
    return lines[start + 1].partition('"')[2].rstrip('"')


def test_a_pip_project_with_ten_dependencies_is_set_up_and_verified(bench, pip):
    _, done = pip
    assert done.exit_code == 0, done.told
    assert done.commands == ["pip install --upgrade pip", "pip install -r requirements.txt"]
    assert len(done.verified) == 7
    assert "python -c 'import attr; print(\"SUCCESS\")'" in done.verified
    # One that only the list knows which requirements.txt includes.
    assert bench.inside(done.data["kept"], "python -c 'import flask; print(\"there\")'") == "there"
    assert done.data["hand_over"] == {
        "environment_ready": True,
        "environment_name": "python",
        "setup_status": "success",
        "errors": [],
    }


def test_what_was_set_up_is_verified_again_by_a_command_of_its_own(bench, pip):
    project, _ = pip
    done = bench.evo("verify", project, "--environments", bench.environments(), "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["status"] == "success"


def test_a_second_set_up_is_recalled_until_a_file_changes(bench, pip):
    project, first = pip
    again = bench.set_up(project)
    assert (again.exit_code, again.is_recalled, again.commands) == (0, True, [])
    assert again.data["kept"] == first.data["kept"]
    (project / "requirements" / "web.txt").write_text("flask>=3\njinja2>=3.1\nitsdangerous>=2\n")
    other = bench.set_up(project)
    assert (other.exit_code, other.is_recalled) == (0, False)
    assert other.data["kept"] != first.data["kept"]
    assert [each.tags for each in bench.images(project)] == [[other.data["kept"]]]


def test_a_uv_project_gets_the_versions_of_its_lock(bench):
    project = bench.copy("uv")
    done = bench.set_up(project)
    assert done.exit_code == 0, done.told
    assert done.commands == ["pip install --upgrade pip", "pip install uv", "uv sync"]
    versions = bench.inside(done.data["kept"], f'.venv/bin/python -c "{VERSIONS}"')
    assert versions.split()[0] == locked(project, "uv.lock")


def test_a_poetry_project_gets_the_versions_of_its_lock(bench):
    project = bench.copy("poetry")
    done = bench.set_up(project)
    assert done.exit_code == 0, done.told
    assert done.commands == ["pip install --upgrade pip", "pip install poetry", "poetry install"]
    # The environment is in what is kept, and not in the cache, which another set-up of the project may change.
    versions = bench.inside(done.data["kept"], f'~/.virtualenvs/*/bin/python -c "{VERSIONS}"')
    assert versions.split()[0] == locked(project, "poetry.lock")


def test_an_npm_project_gets_what_its_lock_says(bench, npm):
    project, done = npm
    assert done.exit_code == 0, done.told
    assert done.commands == ["npm ci"]
    assert 'node -e \'require("lodash"); console.log("SUCCESS")\'' in done.verified
    lock = json.loads((project / "package-lock.json").read_text())
    version = bench.inside(done.data["kept"], """node -p 'require("semver/package.json").version'""")
    assert version == lock["packages"]["node_modules/semver"]["version"]


def test_a_fresh_set_up_recalls_nothing_but_packages_and_needs_no_network_for_those(bench, npm):
    project, _ = npm
    done = bench.set_up(project, "--fresh", "--network=none")
    assert (done.exit_code, done.is_recalled, done.commands) == (0, False, ["npm ci"])


def test_a_maven_project_is_built(bench):
    done = bench.set_up(bench.copy("maven"))
    assert done.exit_code == 0, done.told
    assert done.commands == ["mvn clean install -DskipTests"]
    assert done.data["hand_over"]["environment_name"] == "java"
    assert bench.inside(done.data["kept"], "java -cp target/sums-1.0.jar sums.Sums 40 2") == "42"


def test_a_python_project_with_a_helper_package_json_is_set_up_for_python(bench):
    done = bench.set_up(bench.copy("mixed"))
    assert done.exit_code == 0, done.told
    assert done.data["hand_over"]["environment_name"] == "python"
    assert not any("npm" in command for command in done.commands)
    assert "python -c 'import tabulate; print(\"SUCCESS\")'" in done.verified


def test_a_wrong_package_name_is_repaired_by_the_second_answer_of_a_model(bench, model):
    server, words = model
    server.script(
        answer("I would rather not plan."),
        answer(json.dumps({"setup_commands": ["pip install click packagingg-of-no-one-at-all"]})),
        answer(json.dumps({"setup_commands": ["pip install click packaging"]})),
    )
    done = bench.set_up(bench.copy("wrong_name"), *words)
    assert done.exit_code == 0, done.told
    setup = done.data["result"]["setup_result"]
    assert (setup["executions"], setup["regenerations"]) == (3, 2)
    assert done.commands == ["pip install click packaging"]
    questions = [seen.prompt for seen in server.asked()]
    assert "pip install -r requirements.txt" in questions[1]
    assert "packagingg-of-nobody-at-all" in questions[1]
    assert "packagingg-of-no-one-at-all" in questions[2]
    assert done.data["hand_over"]["errors"] == []


def test_a_project_that_is_never_set_up_is_handed_over_with_a_warning(bench, model):
    server, words = model
    server.usual = answer(json.dumps({"setup_commands": ["pip install packagingg-of-nobody-at-all"]}))
    comment = bench.folder() / "comment.md"
    project = bench.copy("wrong_name")
    done = bench.set_up(project, *words, "--report", comment)
    assert done.exit_code == 4
    assert done.data["hand_over"]["setup_status"] == "failed"
    assert done.data["hand_over"]["environment_ready"] is False
    assert len(done.data["hand_over"]["errors"]) == 4
    setup = done.data["result"]["setup_result"]
    assert (setup["executions"], setup["regenerations"]) == (4, 3)
    assert done.data["result"]["verification_result"]["status"] == "skipped"
    text = comment.read_text()
    assert "## Environment setup failed" in text
    assert "The package index has no package of this name." in text
    assert "- LLM regenerations: 3/3\n- Error class: fixable (name)" in text
    assert done.data["kept"] == ""
    assert not bench.images(project)


def test_a_repository_is_cloned_from_its_address_and_known_again_by_it(bench):
    source = bench.copy("mixed")
    git = [
        shutil.which("git") or pytest.skip("install git"),
        "-C",
        source,
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@y.z",
    ]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "All of it"]):
        subprocess.run([*git, *words], check=True)
    address = bench.known(source.as_uri())
    first, second = bench.set_up(address), bench.set_up(address)
    assert first.exit_code == 0, first.told
    assert (second.exit_code, second.is_recalled) == (0, True)
    assert bench.images(address)
