import shlex

import pytest

from evograft_env_setup.analysis.defaults import build_default_commands
from evograft_env_setup.analysis.environment_choice import choose_environment
from evograft_env_setup.environments import Environments
from evograft_env_setup.manifests.formats import REQUIREMENTS, find_format
from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest

ENVIRONMENTS = Environments.shipped()
OK = "python -c 'print(\"OK\")'"
MAJOR = "python -c 'import sys; print(sys.version_info.major)'"


def defaults(files):
    """The commands for files given by path and text."""
    manifests = {path: (find_format(path) or REQUIREMENTS).read(text, path) for path, text in files.items()}
    return build_default_commands(choose_environment(manifests, ENVIRONMENTS).environment, manifests)


def verified(commands):
    return {each.command: each.expected_output for each in commands.verification}


@pytest.mark.parametrize(
    ("files", "setup"),
    [
        ({}, ["pip install --upgrade pip"]),
        ({"requirements.txt": "flask"}, ["pip install --upgrade pip", "pip install -r requirements.txt"]),
        (
            {"requirements.txt": "", "setup.py": "from setuptools import setup\nsetup()"},
            ["pip install --upgrade pip", "pip install -r requirements.txt", "pip install -e ."],
        ),
        ({"pyproject.toml": '[project]\nname = "x"'}, ["pip install --upgrade pip", "pip install -e ."]),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 9"}, ["pip install --upgrade pip"]),
        (
            {"pyproject.toml": '[project]\nname = "x"\noptional-dependencies.test = ["pytest"]'},
            ["pip install --upgrade pip", "pip install -e '.[test]'"],
        ),
        (
            {"pyproject.toml": '[project]\nname = "x"\n[dependency-groups]\ndev = ["pytest"]'},
            ["pip install --upgrade pip", "pip install -e .", "pip install --group dev"],
        ),
        (
            {"requirements.txt": "", "requirements-dev.txt": "", "requirements-gpu.txt": ""},
            ["pip install --upgrade pip", "pip install -r requirements.txt", "pip install -r requirements-dev.txt"],
        ),
        (
            {"requirements/base.txt": "", "requirements/prod.txt": ""},
            ["pip install --upgrade pip", "pip install -r requirements/base.txt"],
        ),
        (
            {"poetry.lock": "", "pyproject.toml": ""},
            ["pip install --upgrade pip", "pip install poetry", "poetry install"],
        ),
        (
            {"pyproject.toml": "[tool.poetry]\nname = 'x'"},
            ["pip install --upgrade pip", "pip install poetry", "poetry install"],
        ),
        ({"uv.lock": "", "pyproject.toml": ""}, ["pip install --upgrade pip", "pip install uv", "uv sync"]),
        (
            {"Pipfile": "", "Pipfile.lock": "{}"},
            ["pip install --upgrade pip", "pip install pipenv", "pipenv sync --dev"],
        ),
        ({"Pipfile": ""}, ["pip install --upgrade pip", "pip install pipenv", "pipenv install --dev"]),
        ({"condaenv.yaml": "dependencies: []"}, ["conda env create -f condaenv.yaml -n project-env"]),
        ({"environment.yml": "dependencies: []"}, ["conda env create -f environment.yml -n project-env"]),
        ({"package.json": "{}"}, ["npm install"]),
        ({"package.json": "{}", "package-lock.json": "{}"}, ["npm ci"]),
        (
            {"package.json": "{}", "yarn.lock": ""},
            ["command -v yarn || npm install --global yarn", "yarn install --frozen-lockfile"],
        ),
        (
            {"package.json": "{}", "pnpm-lock.yaml": "a: b"},
            ["command -v pnpm || npm install --global pnpm", "pnpm install --frozen-lockfile"],
        ),
        ({"pom.xml": "<project/>"}, ["mvn clean install -DskipTests"]),
        ({"build.gradle": ""}, ["gradle build -x test"]),
        ({"build.gradle.kts": "", "gradlew": "#!/bin/sh"}, ["./gradlew build -x test"]),
        ({"go.mod": "module x"}, ["go mod download"]),
        ({"Cargo.toml": ""}, ["cargo fetch"]),
    ],
)
def test_commands_follow_the_files_that_there_are(files, setup):
    assert list(defaults(files).setup) == setup


@pytest.mark.parametrize(
    ("path", "text", "verification"),
    [
        ("requirements.txt", "", {OK: "OK", MAJOR: "3"}),
        ("environment.yml", "dependencies: []", {f"conda run --no-capture-output -n project-env {OK}": "OK"}),
        ("package.json", "{}", {"node -e 'console.log(\"OK\")'": "OK"}),
        ("pom.xml", "<project/>", {"mvn --version | grep -q 'Apache Maven' && echo 'OK'": "OK"}),
        ("build.gradle", "", {"gradle --version | grep -q '^Gradle' && echo 'OK'": "OK"}),
        ("go.mod", "module x", {"go version | grep -q 'go version' && echo 'OK'": "OK"}),
        ("Cargo.toml", "", {"cargo --version | grep -q '^cargo ' && echo 'OK'": "OK"}),
    ],
)
def test_each_environment_has_its_verification(path, text, verification):
    assert verified(defaults({path: text})) == verification


def test_key_packages_are_imported_by_the_names_that_they_have():
    commands = defaults(
        {"requirements.txt": "PyYAML\nscikit_learn\nrequests\nno-such-package\ncolorama; os_name == 'nt'\n"}
    )
    assert verified(commands) == {
        OK: "OK",
        MAJOR: "3",
        "python -c 'import yaml; print(\"SUCCESS\")'": "SUCCESS",
        "python -c 'import sklearn; print(\"SUCCESS\")'": "SUCCESS",
        "python -c 'import requests; print(\"SUCCESS\")'": "SUCCESS",
    }
    node = verified(defaults({"package.json": '{"dependencies": {"express": "4", "no-such": "1"}}'}))
    assert 'node -e \'require("express"); console.log("SUCCESS")\'' in node
    assert len(node) == 2


def test_what_a_tool_has_installed_is_verified_within_it():
    files = {"uv.lock": "", "pyproject.toml": '[project]\nname = "x"\ndependencies = ["httpx"]'}
    assert f"uv run --no-sync {OK}" in verified(defaults(files))
    assert "uv run --no-sync python -c 'import httpx; print(\"SUCCESS\")'" in verified(defaults(files))


def test_tools_that_only_the_settings_of_tests_name_are_installed_too():
    files = {"requirements.txt": "flask\ncoverage\n", "tox.ini": "[testenv]\ndeps =\n  pytest<9\n  coverage\n"}
    assert defaults(files).setup[-1] == "pip install 'pytest<9'"
    files = {"uv.lock": "", "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--cov'"}
    assert defaults(files).setup[-1] == "uv pip install pytest pytest-cov"


def test_folders_below_are_set_up_where_they_are():
    commands = defaults({"api/requirements.txt": "requests", "worker/requirements.txt": "", "web/package.json": "{}"})
    assert list(commands.setup) == [
        "cd api && pip install --upgrade pip",
        "cd api && pip install -r requirements.txt",
        "cd worker && pip install --upgrade pip",
        "cd worker && pip install -r requirements.txt",
    ]
    assert "cd api && python -c 'import requests; print(\"SUCCESS\")'" in verified(commands)


@pytest.mark.parametrize("folder", ["a b", "a;touch x", "$(x)", "-x", "`x`", "a'b", "ü", "a\nb"])
def test_a_folder_whose_name_means_something_to_a_shell_is_in_no_command(folder):
    commands = defaults({f"{folder}/requirements.txt": "flask"})
    assert list(commands.setup) == ["pip install --upgrade pip"]


def test_what_a_manifest_asks_for_cannot_add_to_a_command():
    tool = Dependency(name="x; rm -r .", ecosystem="python", asked="$(x)", purpose="tool")
    commands = build_default_commands(
        ENVIRONMENTS["python"], {"tox.ini": ProjectManifest(dependencies=(tool,)), "setup.cfg": ProjectManifest()}
    )
    assert shlex.split(commands.setup[-1]) == ["pip", "install", "x; rm -r .$(x)"]


def test_an_environment_that_no_file_speaks_for_has_commands_for_the_root():
    assert build_default_commands(ENVIRONMENTS["node"], {"requirements.txt": ProjectManifest()}).setup == (
        "npm install",
    )
    assert build_default_commands(ENVIRONMENTS["miniforge"], {}).setup == (
        "conda create --yes -n project-env python pip",
    )


@pytest.mark.parametrize(
    ("files", "imported"),
    [
        ({"Pipfile": '[packages]\nrich = "*"', "requirements.txt": "flask"}, {"rich"}),
        ({"uv.lock": "", "pyproject.toml": '[project]\nname="x"\ndependencies=["six"]', "requirements.txt": "django"}, {"six"}),
        ({"poetry.lock": "", "pyproject.toml": "[tool.poetry.dependencies]\nclick = '*'", "requirements.txt": "flask"}, {"click"}),
        ({"condaenv.yaml": "dependencies: [pandas]", "environment.yml": "dependencies: [numpy]"}, {"pandas"}),
        ({"condaenv.yaml": "dependencies: [pandas]", "requirements.txt": "flask"}, {"pandas", "flask"}),
        ({"requirements.txt": "flask", "Pipfile.lock": "{}", "pyproject.toml": "[dependency-groups]\nx = ['rich']"}, {"flask"}),
        ({"requirements.txt": "-r more.txt", "more.txt": "flask"}, set()),
        ({"setup.cfg": "[options]\ninstall_requires =\n  flask", "requirements.txt": "click"}, {"click"}),
        ({"setup.py": "", "setup.cfg": "[options]\ninstall_requires =\n  flask", "requirements.txt": "click"}, {"click", "flask"}),
    ],
)  # fmt: skip
def test_only_packages_that_the_recipe_installs_are_imported_to_verify_it(files, imported):
    checks = " ".join(verified(defaults(files)))
    assert {
        name for name in ("rich", "flask", "six", "django", "click", "pandas", "numpy") if f"import {name};" in checks
    } == imported


@pytest.mark.parametrize(
    ("files", "image"),
    [
        ({"requirements.txt": ""}, "python:3.11"),
        ({"requirements.txt": "", ".python-version": "3.14"}, "python:3.14"),
        ({"pyproject.toml": '[project]\nname="x"\nrequires-python=">=3.12"', ".python-version": "3.13"}, "python:3.13"),
        ({"package.json": '{"engines": {"node": ">=24"}}'}, "node:24"),
        ({"pom.xml": "<project/>"}, "maven:3-eclipse-temurin-21"),
        ({"pom.xml": "<project/>", ".tool-versions": "java 17"}, "maven:3-eclipse-temurin-17"),
        ({"build.gradle": ""}, "gradle:8-jdk21"),
        ({"build.gradle": "", "gradlew": ""}, "maven:3-eclipse-temurin-21"),
        ({"go.mod": "module x\ngo 1.25"}, "golang:1"),
    ],
)
def test_the_image_is_of_the_version_that_the_files_ask_for(files, image):
    assert defaults(files).image == image


def test_a_version_without_an_image_is_told_and_the_usual_one_taken():
    commands = defaults({"requirements.txt": "", ".python-version": "2.7"})
    assert (commands.image, commands.missing_version) == ("python:3.11", "2.7")


def test_an_image_of_the_users_stays_whatever_version_is_asked_for():
    environments = Environments.changed({"python": {"image": "registry.example/python:mine"}})
    manifests = {".python-version": ProjectManifest(versions={"python": "3.14"}), "setup.py": ProjectManifest()}
    assert build_default_commands(environments["python"], manifests).image == "registry.example/python:mine"


@pytest.mark.parametrize(
    ("files", "check"),
    [
        ({"go.mod": "module x\nrequire example.org/a v1.0.0"}, "go list -deps ./... > /dev/null && echo 'OK'"),
        ({"Cargo.toml": '[dependencies]\nserde = "1"'}, "cargo metadata --offline --format-version 1 > /dev/null && echo 'OK'"),
        ({"build.gradle": "implementation 'a:b:1'", "gradlew": ""}, "./gradlew --offline --quiet classes && echo 'OK'"),
    ],
)  # fmt: skip
def test_where_packages_are_asked_for_the_verification_needs_them(files, check):
    assert verified(defaults(files))[check] == "OK"
