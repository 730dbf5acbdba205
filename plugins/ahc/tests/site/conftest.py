"""A local HTTPS server that plays the contest site, with a certificate of its own authority, and archives of tools."""

from __future__ import annotations

import os
import pwd
import shutil
import ssl
import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme

from evograft_ahc.initialise import initialise
from evograft_ahc.messages import Trouble
from evograft_ahc.site.client import PoliteClient
from evograft_ahc.toolbox.confined import open_confined
from evograft_ahc.workspace import Workspace

HTML = "text/html; charset=utf-8"


@dataclass
class Reply:
    """What the server answers once."""

    body: bytes = b""
    status: int = 200
    type: str = HTML
    headers: dict[str, str] = field(default_factory=dict)
    declared: int | None = None
    """The length it claims, where that differs."""


@dataclass
class PlayedSite:
    """The site's state: what lies at which path, and who asked for what."""

    url: str
    replies: dict[str, list[Reply]] = field(default_factory=dict)
    visits: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)

    def lays(self, path: str, *replies: Reply | str) -> None:
        """Answers to successive visits of a path; the last one stays."""
        self.replies[path] = [each if isinstance(each, Reply) else Reply(each.encode()) for each in replies]

    def answer(self, path: str) -> Reply:
        replies = self.replies.get(path, [Reply(b"not found", 404)])
        return replies.pop(0) if len(replies) > 1 else replies[0]


class Handler(BaseHTTPRequestHandler):
    played: PlayedSite

    def do_GET(self) -> None:
        self.played.visits.append(self.path)
        self.played.agents.add(self.headers["User-Agent"])
        reply = self.played.answer(self.path)
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.type)
        self.send_header("Content-Length", str(len(reply.body) if reply.declared is None else reply.declared))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *arguments: Any) -> None:
        """A test shows what it asserts."""


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, *arguments: Any) -> None:
        """A client that goes away, or does not trust the certificate, is part of a test."""


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
def impatient(monkeypatch: pytest.MonkeyPatch, waits: list[float], tmp_path: Path) -> None:
    """Sites that are opened within this test wait for nothing, and have a cache of their own."""
    build: Callable[..., PoliteClient] = lambda home, _cache: PoliteClient(home, tmp_path / "kept", sleep=waits.append)  # noqa: E731
    monkeypatch.setattr("evograft_ahc.site.site.PoliteClient", build)


@pytest.fixture
def reply() -> type[Reply]:
    return Reply


ARCHIVES = Path(__file__).with_name("archives")
"""Tools that are quick to build: a case is a number, an answer is a number up to it, more is better."""


@pytest.fixture(scope="session")
def built_by_hand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of the archive in C++, as somebody would have built them."""
    folder = tmp_path_factory.mktemp("built")
    for source in (ARCHIVES / "cpp" / "tools" / "src").iterdir():
        subprocess.run(["g++", "-o", folder / source.stem, source], check=True)
    return folder


@pytest.fixture
def archive(tmp_path: Path, built_by_hand: Path) -> Callable[..., Path]:
    """`archive("cpp")`: the tools as organisers would pack them; `built=True` with programs in `target/release`."""

    def pack(kind: str, *, built: bool = False) -> Path:
        path = tmp_path / f"{kind}.zip"
        with zipfile.ZipFile(path, "w") as packed:
            for file in sorted((ARCHIVES / kind).rglob("*")):
                packed.write(file, file.relative_to(ARCHIVES / kind))
            for program in built_by_hand.iterdir() if built else ():
                packed.write(program, f"tools/target/release/{program.name}")
        return path

    return pack


@dataclass(frozen=True)
class Practised:
    """A workspace of `practice001`, made once; tests that change it copy its folder."""

    workspace: Workspace
    told: tuple[str, ...]


@pytest.fixture(scope="session")
def practised(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Practised:
    told: list[str] = []
    folder = tmp_path_factory.mktemp("practised")
    with pytest.MonkeyPatch.context() as patch:  # what tests have set for them, a session has not yet
        patch.setenv("HOME", str(folder))
        patch.setenv("XDG_CACHE_HOME", str(cache))
        workspace = initialise("practice001", folder, language="ja", tell=lambda en, ja: told.append(en))
    return Practised(workspace, tuple(told))


@pytest.fixture(autouse=True)
def toolchain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rustup looks for its toolchains in the home, which is another one within tests."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".rustup"
    if home.is_dir():
        monkeypatch.setenv("RUSTUP_HOME", str(home))


@pytest.fixture
def rust() -> None:
    if shutil.which("rustc") is None:
        pytest.skip("install rustc and cargo")


@pytest.fixture
def confined() -> None:
    """Skips the test, with the reason, where tools can't be built or called."""
    if shutil.which("g++") is None:
        pytest.skip("install g++")
    try:
        with open_confined():
            pass
    except Trouble as err:
        pytest.skip(str(err))
