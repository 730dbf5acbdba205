import json
import subprocess
import tempfile

import pytest
from click.testing import CliRunner

from evograft.cli import cli
from evograft.errors import ServiceError, UserError
from evograft_env_setup.checkout import cloned, is_address
from evograft_env_setup.progress import Progress

NOBODY = "unix:///nowhere/docker.sock"


def git(folder, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "requirements.txt").write_text("requests>=2\n")
    return folder


@pytest.fixture
def evo(tmp_path, monkeypatch, project):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("DOCKER_HOST", NOBODY)
    yield lambda *words: CliRunner().invoke(cli, ["env", *words])
    assert not list(temporary.iterdir())


@pytest.fixture
def repository(project):
    git(project, "init", "--quiet", "--initial-branch=main")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "first")
    return project


def test_without_an_engine_a_set_up_in_a_container_fails_with_the_comment_and_says_so(evo, tmp_path):
    done = evo("setup", "--place", "docker", "--language", "ja", "--report", str(tmp_path / "setup.md"), "--json")
    assert done.exit_code == 4, done.output
    told = json.loads(done.stdout)
    assert told["result"]["overall_status"] == "failed"
    assert told["hand_over"]["environment_ready"] is False
    assert "no Docker engine answers" in told["hand_over"]["errors"][0]
    assert told["plan"]["setup_commands"][-1] == "pip install -r requirements.txt"
    assert "- エラー分類: fatal (docker)" in (tmp_path / "setup.md").read_text(encoding="utf-8")


def test_a_set_up_is_told_line_by_line(evo):
    done = evo("setup", "--place", "docker")
    assert done.exit_code == 4
    assert done.stdout.splitlines()[0] == "environment: python: failed"
    assert "Planning: completed" in done.stderr.splitlines()
    assert "going on with a warning" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("command", ["setup", "verify"])
def test_what_is_neither_a_folder_nor_an_address_is_a_mistake_of_the_user(evo, command):
    done = evo(command, "nowhere")
    assert isinstance(done.exception, UserError)
    assert "'nowhere' is neither a folder nor the address of a git repository" in str(done.exception)


def test_a_repository_is_cloned_and_gone_afterwards(evo, repository):
    done = evo("setup", f"file://{repository}", "--place", "docker", "--json")
    assert json.loads(done.stdout)["plan"]["detected_files"] == ["requirements.txt"]


def test_a_clone_has_the_files_and_nothing_that_git_would_run(repository, tmp_path):
    git(repository, "config", "core.fsmonitor", f"touch {tmp_path}/run")
    with cloned(f"file://{repository}", Progress()) as folder:
        assert (folder / "requirements.txt").read_text() == "requests>=2\n"
        assert not (folder / ".git" / "hooks").exists()
    assert not folder.exists()
    assert not (tmp_path / "run").exists()


def test_a_repository_that_is_not_there_says_why(tmp_path):
    with (
        pytest.raises(ServiceError, match=r"can't clone file://.*/none"),
        cloned(f"file://{tmp_path}/none", Progress()),
    ):
        pytest.fail("there is nothing to clone")


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("https://example.org/a/b.git", True),
        ("git@example.org:a/b.git", True),
        ("ssh://git@example.org/a", True),
        ("ext::sh -c touch% run", False),
        ("--upload-pack=touch run", False),
        ("a/b", False),
        ("C:\\a", False),
        (".", False),
    ],
)
def test_addresses_are_told_from_paths(target, address):
    assert is_address(target) is address


def test_verifying_needs_an_engine(evo):
    assert isinstance(evo("verify").exception, ServiceError)


def test_cleaning_without_an_engine_says_what_it_could_not_look_at(evo):
    done = evo("clean", "--json")
    assert done.exit_code == 0, done.output
    assert "no Docker engine answers" in json.loads(done.stdout)["errors"][0]
