"""A small repository, a scripted model, and `evo explain` between them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import dataclass

import pytest
from fault_server import FaultServer, answer
from python_process import PythonProcess

from evograft.cli import _run
from evograft_agent.conversations.conversation_store import ConversationStore

ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


class Model:
    """What the model says."""

    LIST = "I look around.\n<list_file>\n<path>.</path>\n</list_file>"
    READ = "<read_file>\n<path>app/main.py</path>\n</read_file>"

    def __init__(self, server):
        self._server = server

    def says(self, *texts, **fields):
        """Message by message."""
        self._server.script(*(answer(text, **fields) for text in texts))

    def completes(self, summary):
        self.says(f"<complete>\n<summary>{summary}</summary>\n</complete>")


@pytest.fixture
def server():
    with FaultServer() as server:
        yield server


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """A key, an English locale, no address or proxy of the machine's own; handlers of signals are put back."""
    for name in (*ADDRESSES, "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    monkeypatch.setenv("LANG", "C.UTF-8")
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def data(self):
        return json.loads(self.out)


class Explain:
    """`evo explain` in this process, or in one of its own."""

    def __init__(self, server, monkeypatch, capsys):
        self._patch = monkeypatch
        self._capsys = capsys
        at_server = (f"--set=llm.base_url={server.base_url}", "--set=llm.retries=0")
        self.model = ("--llm=openai:some-model", *at_server)

    def __call__(self, *arguments):
        """With the arguments as they are."""
        self._patch.setattr(sys, "argv", ["evo", "explain", *map(str, arguments)])
        self._capsys.readouterr()
        code = _run()
        return Done(code, *self._capsys.readouterr())

    def ask(self, *arguments):
        """A new conversation with the server."""
        return self(*arguments, *self.model)

    def start(self, *arguments, **options):
        """In a process of its own."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return PythonProcess("-m", "evograft", "explain", *arguments, **pipes, **options)


@pytest.fixture
def explain(server, monkeypatch, capsys):
    return Explain(server, monkeypatch, capsys)


@pytest.fixture
def shelf():
    return ConversationStore.for_user()


@pytest.fixture
def model(server):
    return Model(server)
