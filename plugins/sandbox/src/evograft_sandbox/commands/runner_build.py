"""Compiling the runner. Used when a wheel is built too, so it needs nothing but the standard library."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=gnu17", "-O2", "-s", "-static")
PATIENCE = 120.0


class RunnerBuildError(Exception):
    """The runner cannot be compiled here; the message says what to install."""


def get_runner_name(sources: Path) -> str:
    """Return the file name of the program of these sources on this kind of machine."""
    digest = hashlib.sha256(" ".join((*FLAGS, platform.machine())).encode())
    for path in sorted(sources.glob("*.[ch]")):
        digest.update(path.name.encode() + path.read_bytes())
    return f"sandbox-runner-{digest.hexdigest()[:16]}"


def compile_runner(sources: Path) -> bytes:
    """Return the program: a static one, which needs no library of the system it runs on.

    Raises:
        RunnerBuildError: there is no compiler here, or it fails.
    """
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        raise RunnerBuildError(f"there is no C compiler ({', '.join(COMPILERS)})")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "runner"
        command = [compiler, *FLAGS, *map(str, sorted(sources.glob("*.c"))), "-o", str(built)]
        environment = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(  # noqa: S603 - our own source
            command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment
        )
        if done.returncode != 0:
            reason = next((line for line in done.stderr.splitlines() if "error" in line), f"exit {done.returncode}")
            raise RunnerBuildError(f"{compiler} fails ({reason})")
        return built.read_bytes()
