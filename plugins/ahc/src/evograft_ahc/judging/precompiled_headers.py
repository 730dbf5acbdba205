"""`bits/stdc++.h`, compiled beforehand: reading it takes longer than compiling what most programs have of their own."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

from evograft_ahc.judging.profiles import JudgeProfile
from evograft_ahc.text.messages import ContestServiceError
from evograft_hookspecs import SandboxCommand, SandboxLimits
from evograft_sandbox.commands.session_pool import PooledSession

HEADER, COMPILED = "bits/stdc++.h", "bits/stdc++.h.gch"
INCLUDES = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<bits/stdc\+\+\.h>", re.MULTILINE)
KEPT = 2
"""Sets of headers, one for each set of flags: those that were used last. Each has more than a hundred megabytes."""
LIMITS = SandboxLimits(cpu_seconds=120.0, wall_seconds=600.0, memory_mb=2048, file_mb=512)


def header_folder() -> Path:
    """Return a folder that sessions are shown.

    Commands with other users than ours have to reach it, as they cannot reach a home.

    Raises:
        ContestServiceError: somebody else could have put something into it.
    """
    folder = Path(tempfile.gettempdir()) / f"evograft-headers-{os.getuid()}"
    folder.mkdir(mode=0o755, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ContestServiceError(
            f"{str(folder)!r} is not a folder that only you can write to: remove it",
            ja=f"{str(folder)!r} が自分だけが書き込めるフォルダではありません。削除してください",
        )
    return folder


def uses_headers(source: str) -> bool:
    """Return whether a source is compiled faster with them."""
    return INCLUDES.search(source) is not None


def ensure_headers(worker: PooledSession, profile: JudgeProfile, identity: str) -> Path | None:
    """Return a folder to look for headers in first; `None` if they cannot be compiled beforehand.

    Args:
        worker: whose session compiles them if need be.
        profile: the compiler and its flags, which must be those of the programs.
        identity: of compiler and flags.
    """
    folder = header_folder() / identity
    if not _mark_used(folder):
        content = _compile(worker, profile)
        if content is None:
            return None
        _put(folder, content)
        _remove_all_but_latest(folder.parent)
    return folder


def _mark_used(folder: Path) -> bool:
    """Return whether it is there."""
    try:
        os.utime(folder)
    except FileNotFoundError:
        return False
    return True


def _put(folder: Path, content: bytes) -> None:
    """Move the folder into place at once, so that nobody finds a part of it.

    What a kill leaves is a folder like others, and is removed like them.
    """
    part = Path(tempfile.mkdtemp(dir=folder.parent))
    part.chmod(0o755)
    (part / COMPILED).parent.mkdir()
    (part / COMPILED).write_bytes(content)
    try:
        part.rename(folder)
    except OSError:  # somebody else was faster
        shutil.rmtree(part, ignore_errors=True)


def _remove_all_but_latest(folder: Path) -> None:
    """Remove all sets of headers but the latest; a compiler whose set goes meanwhile reads the header itself."""
    used: dict[Path, float] = {}
    for each in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            used[each] = each.stat().st_mtime
    for old in sorted(used, key=used.__getitem__)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _compile(worker: PooledSession, profile: JudgeProfile) -> bytes | None:
    # What it includes is found by the compiler, wherever that keeps its own.
    worker.provide("all.h", f"#include <{HEADER}>\n".encode())
    done = worker.session.run(
        SandboxCommand(
            arguments=(profile.compiler, *profile.flags, "-x", "c++-header", "all.h", "-o", "all.gch"),
            inputs={"all.h": "all.h"},
            outputs={"all.gch": "all.gch"},
            limits=LIMITS,
        )
    )
    if done.exit_code != 0:
        return None
    content = worker.session.read("all.gch")
    worker.session.remove("all.gch")
    return content
