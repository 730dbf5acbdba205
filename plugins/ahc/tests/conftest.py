"""The practice contests, built once for all tests, and a local server that plays the contest site."""

from __future__ import annotations

import fcntl
import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trustme
from click.testing import CliRunner
from logbook import LogBook
from played_site import Handler, PlayedSite, QuietServer, Reply

from evograft.cli import cli
from evograft_ahc.contests.atcoder.client import PoliteClient
from evograft_ahc.contests.practice import FLAGS, build_tools, get_practice
from evograft_ahc.workspace.folder import Workspace

TASK = {
    "contest_id": "practice001",
    "interactive": False,
    "direction": "max",
    "time_limit_seconds": 2.0,
    "memory_limit_mb": 1024,
    "end_source": "practice",
    "scorer": {"program": "tools/bin/score", "channel": "stdout", "pattern": "Score = (\\d+)"},
}
PRICED = {
    "driver": "openai",
    "base_url": "http://127.0.0.1:9/v1",
    "models": [{"name": "dear", "price": {"prompt": 2.0, "completion": 4.0}}],
}

REFERENCES = Path(__file__).parents[1] / "references"


@pytest.fixture(autouse=True)
def own_settings(private_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's `~/.ahc_agent`."""
    monkeypatch.setenv("HOME", str(private_home))
    monkeypatch.delenv("AHC_LOG_LEVEL", raising=False)


@pytest.fixture
def bare_workspace(tmp_path: Path) -> Workspace:
    """A workspace of practice001 in which nothing is built."""
    folder = tmp_path / "practice001"
    folder.mkdir()
    (folder / "task.json").write_text(json.dumps(TASK))
    return Workspace(folder)


@pytest.fixture
def book(runs: Any, tmp_path: Path) -> Iterator[LogBook]:
    """The log of a run in the folder `first`, with a model that has a price; no kernel has worked on it."""
    with LogBook.begun(runs.pipeline(trials=100, llm=PRICED, order="arrival"), tmp_path / "first") as book:
        yield book


@dataclass(frozen=True)
class Built:
    """A practice contest's programs, and cases of it."""

    bin: Path
    inputs: Path
    folder: Path

    def case(self, number: int) -> Path:
        return self.inputs / f"{number:04}.txt"

    def run(self, *command: str | Path, **options: object) -> subprocess.CompletedProcess[bytes]:
        """A program in a folder that may be written to; tests compare bytes, since programs print what they like."""
        return subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            check=False,
            timeout=60,
            **{"cwd": self.folder, **options},
        )


def _build(contest_id: str, folder: Path) -> None:
    contest = get_practice(contest_id)
    tools = contest.unpack_tools(folder)
    programs = build_tools(tools)
    (folder / "start.cpp").write_text(contest.start_program(), encoding="utf-8")
    for name, source in (("start", folder / "start.cpp"), ("reference", REFERENCES / f"{contest_id}.cpp")):
        subprocess.run(["g++", *FLAGS, "-Wall", "-o", programs / name, source], check=True)
    subprocess.run([programs / "gen", tools / "seeds.txt", folder / "in"], check=True)


@pytest.fixture(scope="session")
def built(cache: Path, tmp_path_factory: pytest.TempPathFactory):
    """`built(contest_id)`; the processes of a parallel test run share one build."""
    if shutil.which("g++") is None:
        pytest.skip("install g++")
    shared = tmp_path_factory.getbasetemp()
    if shared.name.startswith("popen-"):  # a worker of pytest-xdist
        shared = shared.parent

    def get(contest_id: str) -> Built:
        folder = shared / contest_id
        with (shared / f"{contest_id}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "built").exists():
                folder.mkdir(exist_ok=True)
                _build(contest_id, folder)
                (folder / "built").touch()
        return Built(folder / "tools" / "bin", folder / "in", tmp_path_factory.mktemp(contest_id))

    return get


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def played(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayedSite]:
    """The site, trusted by this process and those it starts."""
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    server = QuietServer(("localhost", 0), type("Bound", (Handler,), {}))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    state = PlayedSite(f"https://localhost:{server.server_port}")
    server.RequestHandlerClass.played = state  # type: ignore[attr-defined]
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01))
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def waits() -> list[float]:
    """How long a client would have waited, in turn."""
    return []


@pytest.fixture
def client(played: PlayedSite, waits: list[float], tmp_path: Path) -> Iterator[PoliteClient]:
    visitor = PoliteClient(played.url, tmp_path / "kept", sleep=waits.append)
    yield visitor
    visitor.close()


@pytest.fixture
def reply() -> type[Reply]:
    return Reply


@pytest.fixture
def evo() -> Callable[..., Any]:
    """A command in this process; its error is raised."""

    def call(*arguments: object) -> Any:
        done = CliRunner().invoke(cli, list(map(str, arguments)), standalone_mode=False)
        if done.exception is not None:
            raise done.exception
        return done

    return call
