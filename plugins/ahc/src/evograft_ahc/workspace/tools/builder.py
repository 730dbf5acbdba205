"""The programs of an archive, built one by one in a sandbox: where one fails, the others are there."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from evograft.api import write_atomically
from evograft_ahc.text.messages import ProgressReporter
from evograft_ahc.workspace.tools.cargo import CargoSetup, find_first_error, prepare_cargo
from evograft_ahc.workspace.tools.isolation import open_isolated_session
from evograft_hookspecs import FrozenDict, SandboxCommand, SandboxLimits

MAX_PROGRAMS = 20
LIMITS = SandboxLimits(cpu_seconds=1800, wall_seconds=1800, memory_mb=4096, processes=512, file_mb=1024)
SCRATCH_MB = 4096
CARGO = 'cargo build --release --offline --quiet --manifest-path "$0/Cargo.toml" --target-dir target --bin "$name"'
CXX = 'g++ -std=c++17 -O2 -o "target/release/$name" "$0/src/$name.cpp"'
EACH = 'mkdir -p target/release; for name in "$@"; do echo "building: $name" >&2; {build} || true; done'
"""A script whose `$0` is the folder of tools."""


def ensure_built(tools: Path, tell: ProgressReporter) -> Mapping[str, str]:
    """Put the archive's programs into `tools/bin`, those that are not there yet.

    Programs that somebody built by hand with cargo, in `tools/target/release`, are taken as they are.

    Returns:
        Those that can't be built, with the reason in one line.

    Raises:
        ContestServiceError: there is nothing to build with.
    """
    names = _program_names(tools)
    for name in names:
        by_hand = tools / "target" / "release" / name
        if by_hand.is_file() and not (tools / "bin" / name).exists():
            _install(by_hand.read_bytes(), tools / "bin" / name)
    missing = [name for name in names if not (tools / "bin" / name).exists()]
    if not missing:
        return {}
    tell(f"building the tools: {', '.join(missing)}", ja=f"ツールをビルドしています: {', '.join(missing)}")
    return _build(tools, missing)


def _program_names(tools: Path) -> list[str]:
    if not (tools / "Cargo.toml").is_file():
        return sorted(path.stem for path in (tools / "src").glob("*.cpp"))[:MAX_PROGRAMS]
    folder = tools / "src" / "bin"
    found = {path.stem for path in folder.glob("*.rs")} | {path.parent.name for path in folder.glob("*/main.rs")}
    return sorted(found.union(_listed(tools / "Cargo.toml")))[:MAX_PROGRAMS]


def _listed(manifest: Path) -> Iterator[str]:
    """Return the programs that a manifest names; whether it is in order otherwise is for cargo to say."""
    try:
        programs = tomllib.loads(manifest.read_text(encoding="utf-8")).get("bin")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return
    for program in programs if isinstance(programs, list) else ():
        name = program.get("name") if isinstance(program, dict) else None
        if isinstance(name, str) and name.replace("-", "_").isidentifier():
            yield name


def _build(tools: Path, names: list[str]) -> dict[str, str]:
    uses_cargo = (tools / "Cargo.toml").is_file()
    place = prepare_cargo(tools) if uses_cargo else CargoSetup((), {})
    command = SandboxCommand(
        arguments=("/bin/sh", "-c", EACH.format(build=CARGO if uses_cargo else CXX), str(tools), *names),
        environment=FrozenDict(place.environment),
        outputs=FrozenDict({f"target/release/{name}": f"built/{name}" for name in names}),
        limits=LIMITS,
    )
    failed = {}
    mounts = {str(folder): str(folder) for folder in (tools, *place.folders)}
    with open_isolated_session(mounts=mounts, scratch_mb=SCRATCH_MB) as session:
        said = session.run(command).stderr.decode(errors="replace")
        for name in names:
            try:
                _install(session.read(f"built/{name}"), tools / "bin" / name)
            except FileNotFoundError:
                failed[name] = _why(said, name)
    return failed


def _install(content: bytes, target: Path) -> None:
    write_atomically(target, content)
    target.chmod(0o755)


def _why(said: str, name: str) -> str:
    own = said.partition(f"building: {name}\n")[2]
    return find_first_error(own.partition("building: ")[0])
