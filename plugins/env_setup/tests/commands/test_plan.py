import json
import os
import signal
import subprocess
import tempfile
import threading

import pytest
from click.testing import CliRunner
from fault_server import FaultServer, answer
from python_process import PythonProcess

from evograft.cli import cli
from evograft.errors import UserError

CHOICE = {
    "name": "python",
    "reason": "it is\x1b[2J Python",
    "setup_commands": ["pip install requests"],
    "verification": [{"command": "echo OK", "expected_output": "OK"}],
}


@pytest.fixture
def evo(tmp_path, monkeypatch):
    project, temporary = tmp_path / "project", tmp_path / "temporary"
    for folder in (project, temporary):
        folder.mkdir()
    (project / "requirements.txt").write_text("requests>=2\n")
    monkeypatch.chdir(project)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    yield lambda *arguments: CliRunner().invoke(cli, ["env", "plan", *arguments])
    assert not list(temporary.iterdir())


@pytest.fixture
def server():
    with FaultServer() as server:
        yield server


def model(server):
    return ("--llm=openai:some-model", f"--set=llm.base_url={server.base_url}", "--set=llm.retries=0")


def test_without_a_model_the_plan_is_that_of_the_rules(evo):
    done = evo()
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "environment: python: there is requirements.txt",
        "image: python:3.11",
        "setup:",
        "  pip install --upgrade pip",
        "  pip install -r requirements.txt",
        "verification:",
        "  python -c 'print(\"OK\")'  # prints OK",
        "  python -c 'import sys; print(sys.version_info.major)'  # prints 3",
        "  python -c 'import requests; print(\"SUCCESS\")'  # prints SUCCESS",
    ]
    assert done.stderr == ""


def test_a_model_plans_and_leaves_nothing_behind(evo, server):
    server.script(answer(json.dumps({"selected_environment": CHOICE, "action_plan": [1]})))
    done = evo(*model(server), "--json", "--task", "Fetch pages.")
    assert done.exit_code == 0, done.output
    planned = json.loads(done.stdout)
    assert planned["selected_environment"]["setup_commands"] == ["pip install requests"]
    assert planned["action_plan"] == [1]
    assert "Fetch pages." in server.asked()[0].prompt


def test_what_a_model_says_cannot_steer_a_terminal(evo, server):
    server.script(answer(json.dumps({"selected_environment": CHOICE})))
    done = evo(*model(server))
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output


def test_a_model_that_makes_no_plan_leaves_it_to_the_rules(evo, server):
    server.script(answer("I would rather not."))
    done = evo(*model(server))
    assert done.exit_code == 0, done.output
    assert "pip install -r requirements.txt" in done.stdout
    assert "the model gave no plan, the rules do" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "'nowhere' is neither a folder"),
        (("--llm=opnai:x",), "did you mean 'openai'"),
        (("--llm=none",), "an agent needs a model"),
        (("--environments=nothing.yaml",), "can't read 'nothing.yaml'"),
    ],
)
def test_a_mistake_is_told_before_anything_is_asked(evo, arguments, message):
    error = evo(*arguments).exception
    assert isinstance(error, UserError)
    assert message in str(error)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_plan_that_is_interrupted_leaves_nothing(tmp_path, server, number):
    asked = threading.Event()
    server.script(lambda _: asked.set() or answer("too late", delay=600))
    command = ("-m", "evograft", "env", "plan", tmp_path, *model(server))
    environment = {**os.environ, "TMPDIR": str(tmp_path), "OPENAI_API_KEY": "sk-0123456789abcdef"}
    process = PythonProcess(*command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not asked.wait(0.2):
            assert process.poll() is None, process.stderr.read()
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())
