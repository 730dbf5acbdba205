"""The runner's program: compiled once for each version of its source, and kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from evograft.user_folders import ensure_cache_folder
from evograft_hookspecs import SandboxUnavailable

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=gnu17", "-O2", "-static")
PATIENCE = 120.0


def source_folder() -> Path:
    with as_file(files("evograft.drivers.sandbox") / "runner") as folder:
        return folder


def cached_runner() -> Path:
    """Where the program of this source and machine is kept, whether it is there yet or not."""
    digest = hashlib.sha256(" ".join((*FLAGS, platform.machine())).encode())
    for path in sorted(source_folder().glob("*.[ch]")):
        digest.update(path.name.encode() + path.read_bytes())
    return ensure_cache_folder() / f"sandbox-runner-{digest.hexdigest()[:16]}"


def ensure_runner() -> Path:
    """The runner's program, compiled now if it never was.

    Raises:
        SandboxUnavailable: there is no compiler here, or it fails.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable(f"commands run in sandboxes on Linux only, not on {sys.platform}")
    program = cached_runner()
    return program if program.is_file() else install_runner(_compiled())


def install_runner(content: bytes) -> Path:
    """Puts a program that was compiled elsewhere into the cache."""
    program = cached_runner()
    with tempfile.NamedTemporaryFile(dir=program.parent, delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o755)
    # Renamed into place: another process finds all of it or nothing.
    return Path(file.name).replace(program)


def _compiled() -> bytes:
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        raise SandboxUnavailable(f"the sandbox's runner needs a C compiler ({', '.join(COMPILERS)}): install gcc")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "runner"
        command = [compiler, *FLAGS, *map(str, sorted(source_folder().glob("*.c"))), "-o", str(built)]
        environment = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(  # noqa: S603 - our own source
            command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment
        )
        if done.returncode != 0:
            reason = next((line for line in done.stderr.splitlines() if "error" in line), f"exit {done.returncode}")
            raise SandboxUnavailable(f"{compiler} cannot build the sandbox's runner: {reason}; install libc6-dev")
        return built.read_bytes()
