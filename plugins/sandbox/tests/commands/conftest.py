"""Sandboxes for commands, one of each kind, where this machine has them."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evograft_hookspecs import CommandResult, SandboxCommand, SandboxLimits, SandboxSession, SandboxUnavailable
from evograft_sandbox.commands.bwrap import BwrapOptions, BwrapSandbox
from evograft_sandbox.commands.docker import DockerOptions, DockerSandbox
from evograft_sandbox.commands.process import ProcessOptions, ProcessSandbox

IMAGE = "evograft-test:bookworm"
FAULTY = Path(__file__).with_name("faulty.c")
QUICK = {
    "cpu_seconds": 0.3,
    "wall_seconds": 2.0,
    "memory_mb": 128,
    "processes": 16,
    "output_bytes": 100_000,
    "file_mb": 1,
}
DRIVERS = {
    "process": lambda: ProcessSandbox(ProcessOptions(scratch_mb=64)),
    "bwrap": lambda: BwrapSandbox(BwrapOptions(scratch_mb=64)),
    "docker": lambda: DockerSandbox(DockerOptions(scratch_mb=64, image=IMAGE)),
}
EACH = ("process", "bwrap", pytest.param("docker", marks=pytest.mark.docker))

Run = Callable[..., CommandResult]


def needs(works: Callable[[], object]) -> None:
    """Skips the test, with the reason, where a sandbox cannot be had."""
    try:
        works()
    except SandboxUnavailable as err:
        pytest.skip(str(err))


@pytest.fixture(scope="session")
def faulty(tmp_path_factory) -> bytes:
    """The program of `faulty.c`."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("install gcc")
    program = tmp_path_factory.mktemp("faulty") / "faulty"
    subprocess.run([compiler, "-O1", "-w", "-static", FAULTY, "-o", program], check=True)
    return program.read_bytes()


@pytest.fixture(scope="module")
def cache() -> Iterator[Path]:
    """A cache that other users may look into: not below pytest's folder, which each start of pytest closes to them."""
    with tempfile.TemporaryDirectory(prefix="evo-test-cache-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="session")
def image() -> str:
    """The name of an image at an engine that answers."""
    with closing(DRIVERS["docker"]()) as driver:
        needs(driver.layers)
    return IMAGE


@pytest.fixture(scope="module", params=EACH)
def driver(request) -> Iterator:
    with closing(DRIVERS[request.param]()) as driver:
        needs(driver.layers)
        yield driver


@pytest.fixture(scope="module")
def process() -> Iterator:
    with closing(DRIVERS["process"]()) as driver:
        needs(driver.layers)
        yield driver


@pytest.fixture(scope="module")
def bwrap() -> Iterator:
    with closing(DRIVERS["bwrap"]()) as driver:
        needs(driver.layers)
        yield driver


@pytest.fixture(scope="module")
def session(driver, faulty) -> Iterator[SandboxSession]:
    """One session for all tests of a module: each finds it as the one before has left it."""
    with closing(driver.open()) as session:
        session.write({"bin/faulty": faulty})
        yield session


@pytest.fixture
def run(session) -> Run:
    """Runs a command under limits of a test; `limits` changes some."""

    def run_command(*arguments, limits=None, **options) -> CommandResult:
        bounds = SandboxLimits(**{**QUICK, **(limits or {})})
        return session.run(SandboxCommand(arguments=arguments, limits=bounds, **options))

    return run_command


@pytest.fixture
def fault(run) -> Run:
    """Runs a program of `faulty.c`."""

    def run_faulty(*arguments, **options) -> CommandResult:
        return run("./faulty", *arguments, inputs={"faulty": "bin/faulty"}, **options)

    return run_faulty
