"""A server for all tests of a session, and a database for each."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from private_server import PrivateServer, find_programs


@pytest.fixture(scope="session")
def programs() -> Path:
    found = find_programs()
    if found is None and os.getuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-qq", "postgresql"], check=False, capture_output=True)
        found = find_programs()
    if found is None:
        pytest.skip("postgresql is not installed, and cannot be installed here")
    return found


@pytest.fixture(scope="session")
def shared_server(programs: Path) -> Iterator[PrivateServer]:
    with tempfile.TemporaryDirectory(prefix="evo-pg-") as folder:
        Path(folder).chmod(0o755)
        server = PrivateServer(programs, Path(folder) / "server")
        server.make()
        server.start()
        yield server
        server.stop("immediate")


@pytest.fixture
def database(shared_server: PrivateServer) -> Iterator[str]:
    """The address of an empty database."""
    name = f"test_{uuid.uuid4().hex[:8]}"
    shared_server.sql(f"CREATE DATABASE {name}")
    yield shared_server.url(name)
    shared_server.sql(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """From here on, this process is on a machine that knows nothing of the runs."""

    def move(name: str = "elsewhere") -> None:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / name))

    return move
