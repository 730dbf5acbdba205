"""`evo env run`: a command in what was set up, by a real set-up in bubblewrap."""

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from python_process import PythonProcess

from evograft.cli import cli
from evograft.errors import ServiceError, UserError

pytestmark = pytest.mark.usefixtures("bubblewrap", "own_cache")

WITHIN = "env MARK=within"
RECIPE = {
    "import_check": "",
    "recipes": [{"steps": ["echo built > built; echo home > ~/made"], "within": WITHIN}],
    "verification": [{"command": "cat built", "expected_output": "built"}],
}


def read(path):
    with contextlib.suppress(OSError):
        return path.read_bytes()
    return b""


@pytest.fixture
def environments(tmp_path):
    file = tmp_path / "environments.yaml"
    file.write_text(yaml.safe_dump({"python": RECIPE}))
    return ["--environments", str(file)]


@pytest.fixture
def evo(tmp_path, monkeypatch, environments, no_python):
    project = tmp_path / "project"
    project.mkdir()
    (project / "requirements.txt").write_text("")
    monkeypatch.chdir(project)
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")

    def call(command, *words):
        return CliRunner().invoke(cli, ["env", command, *environments, *map(str, words)])

    def set_up():
        done = call("setup", "--programs", no_python, "--json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    call.set_up = set_up
    call.project = project
    return call


def test_a_command_finds_what_was_set_up_and_its_streams_and_exit_code_are_passed_on(evo):
    evo.set_up()
    done = evo("run", "--", "sh", "-c", "cat built ~/made; echo $MARK; echo wrong >&2; exit 7")
    assert (done.exit_code, done.stdout, done.stderr) == (7, "built\nhome\nwithin\n", "wrong\n")


def test_what_is_left_is_told_so_that_it_can_be_opened(evo):
    data = evo.set_up()
    assert data["hand_over"]["environment_ready"] is True
    built = data["built"]
    assert (built["place"], built["working_directory"], built["within"]) == ("bwrap", "/workspace", WITHIN.split())
    assert built["variables"]["HOME"] == "/home/evograft"
    assert built["sandbox"]["mounts"]["/workspace"] == f"{built['folder']}/workspace"
    assert data["kept"] == built["folder"]


def test_the_second_set_up_of_the_same_project_is_recalled(evo):
    assert [evo.set_up()["result"]["setup_result"]["recalled"] for _ in range(2)] == [False, True]


def test_a_verification_that_has_changed_is_run_and_not_the_recalled_one(evo, tmp_path, no_python):
    evo.set_up()
    file = tmp_path / "changed.yaml"
    check = {"command": "cat built", "expected_output": "something else"}
    file.write_text(yaml.safe_dump({"python": {**RECIPE, "verification": [check]}}))
    done = evo("setup", "--programs", no_python, "--environments", file, "--json")
    assert (done.exit_code, json.loads(done.stdout)["result"]["overall_status"]) == (4, "failed")


def test_a_command_sees_the_files_of_now_unless_those_of_the_set_up_are_wanted(evo):
    evo.set_up()
    (evo.project / "new").write_text("new\n")
    assert evo("run", "--", "cat", "new", "built").stdout == "new\nbuilt\n"
    assert evo("run", "--as-set-up", "--", "ls").stdout == "built\nrequirements.txt\n"


def test_files_that_the_set_up_follows_from_are_named_if_they_have_changed_since(evo):
    evo.set_up()
    (evo.project / "new").write_text("")
    assert evo("run", "--", "true").stderr == ""
    (evo.project / "requirements.txt").write_text("requests\n")
    done = evo("run", "--", "cat", "requirements.txt")
    warning = f"warning: changed since the project was set up: requirements.txt: evo env setup {evo.project}\n"
    assert (done.exit_code, done.stdout, done.stderr) == (0, "requests\n", warning)
    assert evo("run", "--as-set-up", "--", "true").stderr == ""
    (evo.project / "requirements.txt").unlink()
    assert evo("run", "--", "true").stderr == warning


def test_what_a_command_writes_is_gone_afterwards(evo):
    evo.set_up()
    assert evo("run", "--", "sh", "-c", "rm built; touch other; rm ~/made").exit_code == 0
    assert evo("run", "--", "sh", "-c", "ls . ~").stdout.split() == [
        ".:",
        "built",
        "requirements.txt",
        "/home/evograft:",
        "made",
    ]
    assert [path.name for path in evo.project.iterdir()] == ["requirements.txt"]


def test_a_command_has_no_network_unless_it_is_given_one(evo):
    evo.set_up()
    count = ("sh", "-c", "tail -n +3 /proc/net/dev | wc -l")
    alone = int(evo("run", "--", *count).stdout)
    shared = int(evo("run", "--network", "bridge", "--", *count).stdout)
    devices = Path("/proc/net/dev").read_text().splitlines()[2:]
    assert (alone, shared) == (1, len(devices))


def test_the_outcome_is_one_json_object_if_asked_for(evo):
    evo.set_up()
    done = evo("run", "--json", "--", "sh", "-c", "echo out; echo wrong >&2; kill $$")
    data = json.loads(done.stdout)
    assert (done.exit_code, data["exit_code"], data["stdout"], data["stderr"]) == (143, 143, "out\n", "wrong\n")


def test_options_of_the_command_are_its_own(evo):
    evo.set_up()
    assert evo("run", "--", "echo", "--json", "--", "-h").stdout == "--json -- -h\n"


def test_a_project_that_is_not_set_up_is_told_what_to_do(evo):
    done = evo("run", "--", "true")
    assert isinstance(done.exception, UserError)
    assert f"evo env setup {evo.project}" in str(done.exception)
    assert done.exception.exit_code == 2


def test_without_an_engine_what_should_be_in_a_container_can_not_be_run(evo):
    evo.set_up()
    done = evo("run", "--place", "docker", "--", "true")
    assert isinstance(done.exception, ServiceError)
    assert done.exception.exit_code == 4


def test_a_command_is_named_after_two_hyphens(evo):
    done = evo("run", "true")
    assert done.exit_code == 2
    assert "name a command after --" in done.stderr


def test_what_is_kept_in_bubblewrap_is_verified_once_more(evo):
    evo.set_up()
    assert evo("verify").stdout == f"ok: {WITHIN} cat built\n"
    (evo.project / "requirements.txt").write_text("# changed\n")
    assert "has changed since it was set up" in str(evo("verify").exception)


def test_cleaning_removes_what_is_kept(evo):
    kept = evo.set_up()["kept"]
    done = CliRunner().invoke(cli, ["env", "clean", "--kept", "--json"])
    assert kept in json.loads(done.stdout)["removed"]
    assert isinstance(evo("run", "--", "true").exception, UserError)


def test_an_interrupt_ends_the_command_and_leaves_nothing(evo, environments, own_cache):
    evo.set_up()
    token = f"evograft-{os.getpid()}-interrupted"
    words = ["env", "run", *environments, "--", "sh", "-c", f"echo begun; sleep 1000; : {token}"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = PythonProcess("-m", "evograft", *words, **pipes)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert not list((own_cache / "workshops").iterdir())
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if token.encode() in read(path)]


def test_what_worked_and_could_not_be_kept_is_not_ready(evo, own_cache, no_python):
    own_cache.mkdir(parents=True)
    (own_cache / "environments").write_text("in the way")
    done = evo("setup", "--programs", no_python, "--json")
    data = json.loads(done.stdout)
    assert (done.exit_code, data["result"]["overall_status"], data["built"]) == (4, "success", None)
    assert data["hand_over"]["environment_ready"] is False
    assert data["hand_over"]["errors"] == ["the environment was set up and verified, and could not be kept"]
    assert any("is not kept for the next time" in each for each in data["warnings"])
