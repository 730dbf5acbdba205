"""The runner's program: the one of a wheel, else compiled once for each version of its source and kept in the cache."""

from __future__ import annotations

import os
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from evograft.user_folders import ensure_cache_folder, user_folder
from evograft_hookspecs import SandboxUnavailable
from evograft_sandbox.commands.runner_build import RunnerBuildError, compile_runner, get_runner_name


def open_source_folder() -> Path:
    with as_file(files("evograft_sandbox.commands") / "runner") as folder:
        return folder


def find_packaged_runner() -> Path:
    """Return where a wheel for this kind of machine has the program of this very source; others have none."""
    return open_source_folder() / get_runner_name(open_source_folder())


def ensure_runner() -> Path:
    """Return the runner's program, compiled now if it never was.

    Raises:
        SandboxUnavailable: none was installed, and none can be compiled here.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable(f"commands run in sandboxes on Linux only, not on {sys.platform}")
    packaged = find_packaged_runner()
    if os.access(packaged, os.X_OK):
        return packaged
    cached = user_folder("cache") / get_runner_name(open_source_folder())
    if os.access(cached, os.X_OK):  # in a cache that somebody else has filled, perhaps, and this user cannot write to
        return cached
    program = ensure_cache_folder() / cached.name
    if program.is_file():
        return program
    # Whoever unpacked a wheel by hand may have lost the right to execute it.
    return install_runner(packaged.read_bytes() if packaged.is_file() else _compile())


def install_runner(content: bytes) -> Path:
    """Put a program that was made elsewhere into the cache."""
    program = ensure_cache_folder() / get_runner_name(open_source_folder())
    with tempfile.NamedTemporaryFile(dir=program.parent, delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o755)
    # Renamed into place: another process finds all of it or nothing.
    return Path(file.name).replace(program)


def _compile() -> bytes:
    try:
        return compile_runner(open_source_folder())
    except RunnerBuildError as err:
        raise SandboxUnavailable(
            f"evograft-sandbox came without the sandbox's runner, and {err}: install gcc and libc6-dev, "
            "or evograft-sandbox from a wheel for this kind of machine"
        ) from err
