"""The programs of an archive, built one by one in a sandbox: where one fails, the others are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evograft_ahc.messages import Tell, Trouble
from evograft_ahc.toolbox.confined import open_confined
from evograft_hookspecs import FrozenDict, SandboxCommand, SandboxLimits

MAX_PROGRAMS = 20
LIMITS = SandboxLimits(cpu_seconds=1800, wall_seconds=1800, memory_mb=4096, processes=512, file_mb=1024)
FETCH_SECONDS = 600
CARGO = 'cargo build --release --offline --quiet --manifest-path "$0/Cargo.toml" --target-dir target --bin "$name"'
CXX = 'g++ -std=c++17 -O2 -o "target/release/$name" "$0/src/$name.cpp"'
EACH = 'mkdir -p target/release; for name in "$@"; do echo "building: $name" >&2; {build} || true; done'
"""A script whose `$0` is the folder of tools."""


@dataclass(frozen=True)
class Built:
    """What became of an archive's programs."""

    failed: Mapping[str, str]
    """Program to the first line of what went wrong."""


def ensure_built(tools: Path, tell: Tell) -> Built:
    """Puts the archive's programs into `tools/bin`, those that are not there yet.

    Programs that somebody built by hand with cargo, in `tools/target/release`, are taken as they are.

    Raises:
        Trouble: there is nothing to build with.
    """
    programs = tools / "bin"
    names = _program_names(tools)
    programs.mkdir(exist_ok=True)
    for name in names:
        by_hand = tools / "target" / "release" / name
        if by_hand.is_file() and not (programs / name).exists():
            _install(by_hand.read_bytes(), programs / name)
    missing = [name for name in names if not (programs / name).exists()]
    if not missing:
        return Built({})
    tell(f"building the tools: {', '.join(missing)}", ja=f"ツールをビルドしています: {', '.join(missing)}")
    return Built(_build(tools, missing))


def _program_names(tools: Path) -> list[str]:
    if not (tools / "Cargo.toml").is_file():
        return sorted(path.stem for path in (tools / "src").glob("*.cpp"))[:MAX_PROGRAMS]
    binaries = tools / "src" / "bin"
    found = {path.stem for path in binaries.glob("*.rs")} | {path.parent.name for path in binaries.glob("*/main.rs")}
    return sorted(found | set(_listed(tools / "Cargo.toml")))[:MAX_PROGRAMS]


def _listed(manifest: Path) -> Iterable[str]:
    try:
        listed = tomllib.loads(manifest.read_text(encoding="utf-8")).get("bin", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return ()  # cargo says what is wrong with it
    names = [each.get("name") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return [name for name in names if isinstance(name, str) and name.replace("-", "_").isidentifier()]


def _build(tools: Path, names: list[str]) -> dict[str, str]:
    cargo = (tools / "Cargo.toml").is_file()
    mounts = {str(tools): str(tools)}
    environment = {}
    if cargo:
        toolchain, home = _toolchain(tools), _cargo_home()
        _fetch(tools, toolchain, home)
        mounts |= {str(folder): str(folder) for folder in (home, *_outside_of_system(toolchain))}
        environment = {
            "CARGO_HOME": str(home),
            "PATH": f"{toolchain}/bin:/usr/local/bin:/usr/bin:/bin",
            "RUSTFLAGS": f"-Clinker={_linker()}",
        }
    command = SandboxCommand(
        arguments=("/bin/sh", "-c", EACH.format(build=CARGO if cargo else CXX), str(tools), *names),
        environment=FrozenDict(environment),
        keeps=FrozenDict({f"target/release/{name}": f"built/{name}" for name in names}),
        limits=LIMITS,
    )
    with open_confined(mounts=mounts, scratch_mb=4096) as session:
        said = session.run(command).stderr.decode(errors="replace")
        failed = {}
        for name in names:
            try:
                _install(session.read(f"built/{name}"), tools / "bin" / name)
            except FileNotFoundError:
                failed[name] = _why(said, name)
    return failed


def _toolchain(tools: Path) -> Path:
    """The folder of the Rust toolchain; `cargo` on the path may be one that only chooses it."""
    try:
        done = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True)  # noqa: S607
    except (OSError, subprocess.CalledProcessError) as err:
        raise _no_cargo(tools) from err
    return Path(done.stdout.strip())


def _linker() -> Path:
    """The C compiler that links: where it is itself, since a sandbox need not have the links that lead to it."""
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        raise Trouble(
            "cargo needs a C compiler to link the contest's tools and there is none: install gcc, then init again",
            ja="公式ツールのリンクに C コンパイラが必要です。gcc をインストールし、もう一度 init してください",
        )
    return Path(found).resolve()


def _no_cargo(tools: Path) -> Trouble:
    by_docker = f"docker run --rm -v {tools}:/tools -w /tools rust:1-alpine cargo build --release"
    return Trouble(
        f"the contest's tools are written in Rust and there is no cargo: install it, or run {by_docker}; then init again",
        ja=f"公式ツールは Rust 製ですが cargo がありません。cargo をインストールするか {by_docker} を実行し、もう一度 init してください",
    )


def _cargo_home() -> Path:
    import platformdirs

    # The user's own holds credentials, and what is built here may look around.
    home = Path(platformdirs.user_cache_dir("evograft")) / "ahc" / "cargo"
    home.mkdir(parents=True, exist_ok=True)
    return home


def _fetch(tools: Path, toolchain: Path, home: Path) -> None:
    """Downloads the crates that the tools depend on: nothing of the archive runs in this."""
    command = (toolchain / "bin" / "cargo", "fetch", "--quiet", "--manifest-path", tools / "Cargo.toml")
    # Started elsewhere, cargo reads no configuration out of the archive.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(  # noqa: S603 - cargo
            command,
            cwd=folder,
            env={**os.environ, "CARGO_HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=FETCH_SECONDS,
            check=False,
        )
    if done.returncode != 0:
        why = _first_error(done.stderr)
        raise Trouble(
            f"cargo can't get what the contest's tools depend on: {why}; init again when the network is there",
            ja=f"公式ツールの依存クレートを取得できません: {why}。ネットワークに接続してもう一度 init してください",
        )


def _outside_of_system(toolchain: Path) -> tuple[Path, ...]:
    return () if toolchain.is_relative_to("/usr") else (toolchain,)


def _install(content: bytes, target: Path) -> None:
    part = target.with_suffix(".part")
    part.write_bytes(content)
    part.chmod(0o755)
    part.replace(target)


def _why(said: str, name: str) -> str:
    _, _, own = said.partition(f"building: {name}\n")
    return _first_error(own.partition("building: ")[0])


def _first_error(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "no reason given")
