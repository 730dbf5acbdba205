"""The runner and the clock: those of a wheel, else compiled once for each version of their source, and kept."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import cache
from pathlib import Path

from evograft.user_folders import ensure_cache_folder, user_folder
from evograft_hookspecs import SandboxUnavailable
from evograft_sandbox.commands.native_build import CPU_CLOCK, RUNNER, NativeBuildError, NativeCode, compile_native


def ensure_runner() -> Path:
    """Return the runner's program.

    Raises:
        SandboxUnavailable: none was installed, and none can be compiled here.
    """
    return ensure_native(RUNNER)


@cache
def load_cpu_clock() -> bytes:
    """Return the library under which a command's clocks show its own processor time, for `LD_PRELOAD`.

    Raises:
        SandboxUnavailable: none was installed, and none can be compiled here.
    """
    return ensure_native(CPU_CLOCK).read_bytes()


def ensure_native(code: NativeCode) -> Path:
    """Return what was made of the sources, compiled now if it never was.

    Raises:
        SandboxUnavailable: none was installed, and none can be compiled here.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable(f"commands run in sandboxes on Linux only, not on {sys.platform}")
    # A wheel for another kind of machine has none that is called like this.
    packaged = code.sources / code.file_name
    if os.access(packaged, os.X_OK):
        return packaged
    cached = user_folder("cache") / code.file_name
    if os.access(cached, os.X_OK):  # in a cache that somebody else has filled, perhaps, and this user cannot write to
        return cached
    kept = ensure_cache_folder() / cached.name
    if kept.is_file():
        return kept
    # Whoever unpacked a wheel by hand may have lost the right to execute it.
    return install_native(code, packaged.read_bytes() if packaged.is_file() else _compile(code))


def install_native(code: NativeCode, content: bytes) -> Path:
    """Put what was made elsewhere into the cache."""
    kept = ensure_cache_folder() / code.file_name
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o755)
    # Renamed into place: another process finds all of it or nothing.
    return Path(file.name).replace(kept)


def _compile(code: NativeCode) -> bytes:
    try:
        return compile_native(code)
    except NativeBuildError as err:
        raise SandboxUnavailable(
            f"evograft-sandbox came without {code.title}, and {err}: install gcc and libc6-dev, "
            "or evograft-sandbox from a wheel for this kind of machine"
        ) from err
