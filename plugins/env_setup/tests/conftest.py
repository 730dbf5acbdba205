import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.reporting.progress import SetupProgress
from evograft_env_setup.sandbox import CommandOutcome, EnvironmentSnapshot, SetupSandboxUnavailable
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment, SandboxArguments
from evograft_hookspecs import LlmAnswer, LlmRefused

LONGEST = 60
KEPT = BuiltEnvironment(place="docker", image="kept", working_directory="/workspace", sandbox=SandboxArguments())


class ScriptedSandbox:
    """Answers commands from a script; each is a list of what happens from call to call, the last one for ever after."""

    def __init__(self, script=None, *, brought=((0, "", ""),), broken="", remembered=None, notes=()):
        self.script = {command: list(outcomes) for command, outcomes in (script or {}).items()}
        self.bringing = list(brought)
        self.broken = broken
        self.remembered = (remembered, remembered)
        self.notes = notes
        self.calls = []
        self.networks = {}
        self.closed = False

    def start(self):
        self.calls.append("start")
        if self.broken:
            raise SetupSandboxUnavailable(self.broken)
        return self.notes

    def copy_in(self, project):
        self.calls.append(f"bring {project}")
        return self._next(self.bringing)

    def restore(self, planned):
        before, made = self.remembered
        return EnvironmentSnapshot(environment=KEPT, plan=made) if planned == before else None

    def snapshot(self, planned, made):
        self.remembered = (planned, made)
        return EnvironmentSnapshot(environment=KEPT, plan=made)

    def run(self, command, *, timeout, network=True, on_output=None):
        self.calls.append(command)
        self.networks[command] = network
        return self._next(self.script.get(command, [(0, "", "")]))

    def close(self):
        self.closed = True

    @staticmethod
    def _next(outcomes):
        outcome = outcomes.pop(0) if len(outcomes) > 1 else outcomes[0]
        if isinstance(outcome, BaseException):
            raise outcome
        code, stdout, stderr = outcome
        return CommandOutcome(exit_code=code, stdout=stdout, stderr=stderr, seconds=0.5)


class ShellSandbox(ScriptedSandbox):
    """Runs commands by a real shell in a folder."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def run(self, command, *, timeout, network=True, on_output=None):
        self.calls.append(command)
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, check=False, capture_output=True, timeout=LONGEST
        )
        return CommandOutcome(
            exit_code=done.returncode,
            stdout=done.stdout.decode(errors="replace"),
            stderr=done.stderr.decode(errors="replace"),
            seconds=0.1,
        )


class ScriptedModel:
    """Gives prepared answers, as text or data, and keeps what it was asked."""

    def __init__(self, *answers, available=True):
        self.answers = list(answers)
        self.available = available
        self.requests = []

    def complete(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else LlmRefused("nothing more to say")
        if isinstance(answer, BaseException):
            raise answer
        return LlmAnswer(text=answer if isinstance(answer, str) else json.dumps(answer), model="scripted")

    @property
    def prompts(self):
        return [request.messages[-1].content for request in self.requests]


class Listener:
    """A reporter that keeps what it is told."""

    def __init__(self):
        self.news = []
        self.status = None

    def report(self, status, news):
        self.status = status
        self.news.append(news)


def environment(*commands, verification=(("check", "OK"),), name="python"):
    return SelectedEnvironment(
        name=name,
        setup_commands=commands,
        verification=[{"command": command, "expected_output": expected} for command, expected in verification],
    )


@pytest.fixture
def kit():
    """What tests of set-ups are made of."""
    listener = Listener()
    return SimpleNamespace(
        Sandbox=ScriptedSandbox,
        Shell=ShellSandbox,
        Model=ScriptedModel,
        Listener=Listener,
        environment=environment,
        listener=listener,
        progress=SetupProgress([listener]),
    )


def why_not():
    if not shutil.which("bwrap"):
        return "install bubblewrap"
    if not Path("/usr/bin/python3").exists():
        return "bubblewrap shows the system's python3: install it"
    walls = ["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc"]
    done = subprocess.run(["bwrap", *walls, "true"], check=False, capture_output=True, text=True)
    return f"bubblewrap can't put up its walls here: {done.stderr}" if done.returncode else ""


@pytest.fixture(scope="session")
def bubblewrap():
    """Skips where bubblewrap has no walls."""
    if reason := why_not():
        pytest.skip(reason)


@pytest.fixture(scope="module")
def no_python(tmp_path_factory):
    """A folder of programs with a Python that makes no environments, which would take seconds."""
    folder = tmp_path_factory.mktemp("programs")
    folder.chmod(0o755)
    python = folder / "bin" / "python3"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\necho no module named venv >&2; exit 1\n")
    python.chmod(0o755)
    return str(folder)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "evograft" / "env"
