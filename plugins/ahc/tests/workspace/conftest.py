"""Archives of tools, workspaces, and sites that are visited without waiting."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from evograft_ahc.contests.atcoder.client import PoliteClient
from evograft_ahc.text.messages import ContestServiceError
from evograft_ahc.workspace.folder import Workspace
from evograft_ahc.workspace.init import initialize_workspace
from evograft_ahc.workspace.tools.isolation import open_isolated_session


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch, waits: list[float], tmp_path: Path) -> None:
    """Sites that are opened within this test wait for nothing, and have a cache of their own."""
    build: Callable[..., PoliteClient] = lambda home, _cache: PoliteClient(home, tmp_path / "kept", sleep=waits.append)  # noqa: E731
    monkeypatch.setattr("evograft_ahc.contests.atcoder.site.PoliteClient", build)


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
        workspace = initialize_workspace("practice001", folder, language="ja", tell=lambda en, ja: told.append(en))
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
        with open_isolated_session():
            pass
    except ContestServiceError as err:
        pytest.skip(str(err))
