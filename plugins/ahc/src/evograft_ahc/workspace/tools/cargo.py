"""What building with cargo takes, so that it works in a sandbox without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evograft.api import ensure_cache_folder, write_atomically
from evograft_ahc.text.messages import ContestServiceError
from evograft_ahc.workspace.tools.cargo_sources import locate_user_settings, read_user_sources

FETCH_SECONDS = 600


@dataclass(frozen=True)
class CargoSetup:
    """Where a build finds toolchain and crates."""

    folders: tuple[Path, ...]
    """What the sandbox has to show, next to the system."""
    environment: Mapping[str, str]


def prepare_cargo(tools: Path) -> CargoSetup:
    """Download the crates that tools depend on, from where the user's cargo does: nothing of the archive runs in this.

    Raises:
        ContestServiceError: there is no cargo, no linker, or no network for crates that are not there yet, or the
            user's settings can't be used.
    """
    toolchain, linker, home, sources = _toolchain(tools), _linker(), _home(), read_user_sources()
    write_atomically(home / "config.toml", sources.settings.encode())
    _fetch(tools, toolchain, home)
    outside_of_system = () if toolchain.is_relative_to("/usr") else (toolchain,)
    environment = {
        "CARGO_HOME": str(home),
        "PATH": f"{toolchain}/bin:/usr/local/bin:/usr/bin:/bin",
        "RUSTFLAGS": f"-Clinker={linker}",
    }
    return CargoSetup((home, *sources.folders, *outside_of_system), environment)


def _toolchain(tools: Path) -> Path:
    """Return the folder of the Rust toolchain; `cargo` on the path may be one that only chooses it."""
    try:
        done = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True)  # noqa: S607
    except (OSError, subprocess.CalledProcessError) as err:
        by_docker = f"docker run --rm -v {tools}:/tools -w /tools rust:1-alpine cargo build --release"
        raise ContestServiceError(
            f"the contest's tools are written in Rust and there is no cargo: install it, or run {by_docker}; then "
            "init again",
            ja=f"公式ツールは Rust 製ですが cargo がありません。cargo をインストールするか {by_docker} を実行し、"
            "もう一度 init してください",
        ) from err
    return Path(done.stdout.strip())


def _linker() -> Path:
    """Return the C compiler that links: where it is itself, as a sandbox need not have the links that lead to it."""
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        raise ContestServiceError(
            "cargo needs a C compiler to link the contest's tools and there is none: install gcc, then init again",
            ja="公式ツールのリンクに C コンパイラが必要です。gcc をインストールし、もう一度 init してください",
        )
    return Path(found).resolve()


def _home() -> Path:
    # The user's own holds credentials, and what is built here may look around.
    return ensure_cache_folder("ahc", "cargo")


def _fetch(tools: Path, toolchain: Path, home: Path) -> None:
    command = (toolchain / "bin" / "cargo", "fetch", "--quiet", "--manifest-path", tools / "Cargo.toml")
    # Started elsewhere, cargo reads no configuration out of the archive.
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(  # noqa: S603 - cargo
                command,
                cwd=folder,
                env={**os.environ, "CARGO_HOME": str(home)},
                capture_output=True,
                text=True,
                timeout=FETCH_SECONDS,
                check=True,
            )
        except subprocess.TimeoutExpired as err:
            raise _no_crates(f"nothing came for {FETCH_SECONDS} seconds") from err
        except subprocess.CalledProcessError as err:
            raise _no_crates(find_first_error(err.stderr)) from err


def _no_crates(why: str) -> ContestServiceError:
    settings = str(locate_user_settings())
    return ContestServiceError(
        f"cargo can't get what the contest's tools depend on: {why}; init again when the network is there, or with a "
        f"mirror or vendored crates in {settings!r}",
        ja=f"公式ツールの依存クレートを取得できません: {why}。ネットワークに接続するか、ミラーや vendor したクレートを "
        f"{settings!r} に設定して、もう一度 init してください",
    )


def find_first_error(said: str) -> str:
    """Return the line in which a build says what was wrong."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "no reason given")
