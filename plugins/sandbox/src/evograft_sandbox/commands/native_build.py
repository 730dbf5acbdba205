"""Compiling what is ours in C. Used when a wheel is built too, so it needs nothing but the standard library."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

COMPILERS = ("cc", "gcc", "clang")
PATIENCE = 120.0


class NativeCode(NamedTuple):
    """A program or a library whose sources lie in a folder next to this module."""

    name: str
    """What its file's name begins with."""
    title: str
    """In a sentence."""
    folder: str
    flags: tuple[str, ...]

    @property
    def sources(self) -> Path:
        return Path(__file__).parent / self.folder

    @property
    def file_name(self) -> str:
        """The name of what is made of these sources on this kind of machine."""
        digest = hashlib.sha256(" ".join((*self.flags, platform.machine())).encode())
        for path in sorted(self.sources.glob("*.[ch]")):
            digest.update(path.name.encode() + path.read_bytes())
        return f"{self.name}-{digest.hexdigest()[:16]}"


RUNNER = NativeCode("sandbox-runner", "the sandbox's runner", "runner", ("-std=gnu17", "-O2", "-s", "-static"))
"""A static program, which needs no library of the system it runs on."""
CPU_CLOCK = NativeCode(
    "cpu-clock",
    "the clock of processor time",
    "cpu_clock",
    ("-std=gnu17", "-O2", "-s", "-shared", "-fPIC", "-nostdlib", "-fno-stack-protector"),
)
"""A library for programs of any version of libc: it names none."""


class NativeBuildError(Exception):
    """It cannot be compiled here; the message says what to install."""


def compile_native(code: NativeCode) -> bytes:
    """Return what a compiler makes of the sources.

    Raises:
        NativeBuildError: there is no compiler here, or it fails.
    """
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        raise NativeBuildError(f"there is no C compiler ({', '.join(COMPILERS)})")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / code.name
        command = [compiler, *code.flags, *map(str, sorted(code.sources.glob("*.c"))), "-o", str(built)]
        environment = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(  # noqa: S603 - our own source
            command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment
        )
        if done.returncode != 0:
            reason = next((line for line in done.stderr.splitlines() if "error" in line), f"exit {done.returncode}")
            raise NativeBuildError(f"{compiler} fails ({reason})")
        return built.read_bytes()
