import json
import os
import signal
import socket
import subprocess
import tempfile
import threading

import pytest
from click.testing import CliRunner

from evograft.cli import cli
from evograft.errors import ServiceError, UserError
from evograft_env_setup.commands.kept_environment import find_environment_of
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.setup.checkout import GitRevision, clone, is_address, strip_login

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
    assert told["warnings"] == []
    assert told["plan"]["setup_commands"][-1] == "pip install -r requirements.txt"
    assert "- エラー分類: fatal (docker)" in (tmp_path / "setup.md").read_text(encoding="utf-8")


def test_why_a_set_up_failed_is_told_with_what_was_printed(evo):
    done = evo("setup", "--place", "docker", "--language", "ja")
    assert "**エラー詳細**:\n```\nno Docker engine answers" in done.stdout
    assert "\\u" not in done.stdout


def test_a_set_up_is_told_line_by_line(evo):
    done = evo("setup", "--place", "docker")
    assert done.exit_code == 4
    assert done.stdout.splitlines()[0] == "environment: python: failed"
    assert "Planning: completed" in done.stderr.splitlines()
    assert "going on with a warning" in done.stderr.splitlines()[-2]
    assert done.stderr.splitlines()[-1] == "Execution"


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
    with clone(f"file://{repository}", SetupProgress()) as folder:
        assert (folder / "requirements.txt").read_text() == "requests>=2\n"
        assert not (folder / ".git" / "hooks").exists()
    assert not folder.exists()
    assert not (tmp_path / "run").exists()


def test_a_clone_holds_no_login_of_its_address(repository):
    with clone(f"file://somebody:hunter2hunter2@localhost{repository}", SetupProgress()) as folder:
        assert (folder / "requirements.txt").exists()
        assert not any(b"hunter2" in file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("ref", ["other", "v1", "refs/pull/12/head", "COMMIT"])
def test_another_branch_a_tag_a_commit_or_a_request_is_cloned(repository, ref):
    git(repository, "checkout", "--quiet", "-b", "other")
    (repository / "other.txt").write_text("other")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "second")
    git(repository, "tag", "v1")
    git(repository, "update-ref", "refs/pull/12/head", "other")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    commit = subprocess.check_output(["git", "-C", str(repository), "rev-parse", "other"], text=True).strip()
    address = f"file://somebody:hunter2hunter2@localhost{repository}"
    with clone(address, SetupProgress(), GitRevision(ref.replace("COMMIT", commit))) as folder:
        assert (folder / "other.txt").exists()
        assert not any(b"hunter2" in file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_a_branch_that_is_not_there_says_so(repository):
    with (
        pytest.raises(ServiceError, match="can't clone"),
        clone(f"file://{repository}", SetupProgress(), GitRevision("none")),
    ):
        pytest.fail("there is no such branch")


def test_what_a_repository_names_is_fetched_if_asked_for_and_else_that_is_told(repository, tmp_path, monkeypatch, evo):
    part = tmp_path / "part"
    part.mkdir()
    git(part, "init", "--quiet")
    (part / "part.txt").write_text("part")
    git(part, "add", ".")
    git(part, "commit", "--quiet", "-m", "part")
    for name, value in {"COUNT": "1", "KEY_0": "protocol.file.allow", "VALUE_0": "always"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    git(repository, "submodule", "--quiet", "add", f"file://{part}", "libs")
    git(repository, "commit", "--quiet", "-m", "with a part")
    progress = SetupProgress()
    with clone(f"file://{repository}", progress, GitRevision(submodules=True)) as folder:
        assert (folder / "libs" / "part.txt").exists()
    assert progress.status.warnings == ()
    with clone(f"file://{repository}", progress) as folder:
        assert not (folder / "libs" / "part.txt").exists()
    assert progress.status.warnings == ("submodules are left out: fetch what they name with --submodules",)


def test_a_folder_has_no_other_branch_to_be_cloned(evo):
    done = evo("setup", ".", "--ref", "main")
    assert done.exit_code != 0
    assert "is a folder: check out there what you want" in str(done.exception)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://somebody:key@example.org/a/b", "https://example.org/a/b"),
        ("https://key@example.org:8443/a@b", "https://example.org:8443/a@b"),
        ("https://somebody:k@y@example.org/a", "https://example.org/a"),
        ("ssh://git:key@example.org/a", "ssh://git@example.org/a"),
        ("ssh://git@example.org:22/a", "ssh://git@example.org:22/a"),
        ("git@example.org:a/b.git", "git@example.org:a/b.git"),
        ("file:///a/b@c", "file:///a/b@c"),
    ],
)
def test_an_address_is_known_without_its_login(address, shown):
    assert strip_login(address) == shown


def test_a_clone_within_a_hook_of_git_leaves_the_repository_of_the_hook_alone(repository, tmp_path, monkeypatch):
    index = tmp_path / "index"
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    with clone(f"file://{repository}", SetupProgress()) as folder:
        assert (folder / "requirements.txt").exists()
    assert not index.exists()


def test_a_clone_that_others_have_made_deeper_than_functions_call_themselves_is_gone_afterwards(evo, repository):
    with clone(f"file://{repository}", SetupProgress()) as folder:
        deep = folder
        for _ in range(1200):
            deep /= "d"
            deep.mkdir()


def test_no_process_of_a_clone_is_left_when_it_is_interrupted():
    with socket.create_server(("127.0.0.1", 0)) as server:
        heard = []

        def interrupt():
            with server.accept()[0] as connection:
                os.kill(os.getpid(), signal.SIGINT)
                connection.settimeout(30)
                heard.extend(iter(lambda: connection.recv(1 << 16), b""))  # until nobody holds the other end any more
                heard.append(b"")

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt), clone(f"http://127.0.0.1:{server.getsockname()[1]}/a", SetupProgress()):
            pytest.fail("nobody answers")
        thread.join()
    assert heard[-1] == b""


def test_a_repository_that_is_not_there_says_why(tmp_path):
    with (
        pytest.raises(ServiceError, match=r"can't clone file://.*/none"),
        clone(f"file://{tmp_path}/none", SetupProgress()),
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


@pytest.mark.parametrize("command", [("setup",), ("run", "--", "true"), ("verify",), ("plan",)])
def test_a_project_whose_path_is_not_text_is_the_users_mistake(evo, project, monkeypatch, command):
    folder = project / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    monkeypatch.chdir(folder)
    done = evo(*command)
    assert isinstance(done.exception, UserError)
    assert "is not text in UTF-8" in str(done.exception)


@pytest.mark.parametrize("text", ["--task=caf\udce9", "--environments=caf\udce9", "caf\udce9"])
def test_an_option_that_is_not_text_is_the_users_mistake(evo, text):
    assert isinstance(evo("setup", text).exception, UserError)


@pytest.mark.parametrize("megabytes", ["63", "1073741825", "99999999999999999999"])
def test_memory_that_no_machine_has_is_refused(evo, megabytes):
    assert evo("setup", "--memory-mb", megabytes).exit_code == 2


@pytest.mark.parametrize(("folder", "hidden"), [("/", "/workspace"), ("/tmp", "/tmp"), ("/home", "/home/evograft")])
def test_programs_that_would_hide_what_is_the_commands_own_are_refused(evo, folder, hidden):
    done = evo("setup", "--place", "bwrap", "--programs", folder)
    assert isinstance(done.exception, UserError)
    assert f"'{folder}' would hide {hidden}" in str(done.exception)


@pytest.mark.parametrize("seconds", ["inf", "nan", "1e300", "0", "86401"])
def test_a_time_limit_that_nobody_can_keep_is_refused(evo, seconds):
    assert evo("setup", "--timeout", seconds).exit_code == 2


def test_verifying_in_a_container_needs_an_engine(evo):
    assert isinstance(evo("verify", "--place", "docker").exception, ServiceError)


def test_verifying_in_an_environment_of_ones_own_needs_its_file(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "mine: {description: Mine, image: mine, signs: [Gemfile], recipes: [{steps: []}], verification: [{command: a, expected_output: b}]}"
    )
    plan = SelectedEnvironment(
        name="mine", setup_commands=(), verification=({"command": "true", "expected_output": ""},)
    )
    with pytest.raises(UserError, match=r"'mine' is unknown here.* by --environments"):
        find_environment_of(plan, EnvSetupOptions())
    assert find_environment_of(plan, EnvSetupOptions(environments=str(mine))).image == "mine"


def test_cleaning_without_an_engine_says_what_it_could_not_look_at(evo):
    done = evo("clean", "--json")
    assert done.exit_code == 0, done.output
    assert "no Docker engine answers" in json.loads(done.stdout)["errors"][0]
