"""A model's server on loopback, and runs of the plugin `asker` that ask it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from asking import KEY, Asking, Hanging, climb
from fault_server import FaultServer


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        server.usual = climb
        yield server


@pytest.fixture
def asking(runs: Any, server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> Asking:
    # Its `evo` runs in this process: what it leaves in the folder that it is called in, other tests would find.
    monkeypatch.chdir(runs.folder)
    return Asking(runs, server)


@pytest.fixture
def hanging(server: FaultServer) -> Iterator[Hanging]:
    """The server's usual answer is none at all."""
    hanging = Hanging()
    server.usual = hanging
    yield hanging
    hanging.over.set()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key in the environment, and no address or proxy of the machine's own."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return KEY
