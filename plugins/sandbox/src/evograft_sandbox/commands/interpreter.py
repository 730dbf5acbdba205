"""The Python that a session offers to commands: the running interpreter with its libraries, or that of an image."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from evograft_hookspecs import FrozenDict, SandboxCommand, SandboxUnavailable
from evograft_sandbox.commands.session import RunnerSession

OF_IMAGE = "python3"
"""How the interpreter of an image is called."""
PARTS = ("bin", "lib", "lib64", "pyvenv.cfg")
"""What an environment is made of. The rest of its folder may be a project, with what no candidate is to see."""
MOST_LINKS = 40


def find_interpreter_mounts(shown: Iterable[str]) -> dict[str, str]:
    """Return the paths that the running interpreter needs, each under its own name.

    Args:
        shown: folders that commands see in any case.
    """
    prefixes = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    folders = dict.fromkeys(path for prefix in prefixes for path in (prefix, os.path.realpath(prefix)))
    parts = (str(Path(folder, part)) for folder in folders for part in PARTS)
    needed = [path for path in (*parts, *_find_links(sys.executable)) if Path(path).exists()]
    seen = list(shown)
    mounts: dict[str, str] = {}
    for path in sorted(needed, key=len):
        if not any(Path(path).is_relative_to(folder) for folder in seen):
            mounts[path] = path
            seen.append(path)
    return mounts


def _find_links(program: str) -> Iterator[str]:
    """Yield a program, and what it is a link to, step by step."""
    for _ in range(MOST_LINKS):
        yield program
        if not Path(program).is_symlink():
            return
        program = str(Path(program).parent / Path(program).readlink())


def add_interpreter(mounts: Mapping[str, str], *, shown: Iterable[str]) -> FrozenDict[str, str]:
    """Return the mounts of a session, with those of the running interpreter."""
    own = (inside for inside, outside in mounts.items() if inside == outside)
    return FrozenDict({**mounts, **find_interpreter_mounts((*shown, *own))})


def require_python(session: RunnerSession, *, driver: str, image: str) -> RunnerSession:
    """Return the session after its interpreter has started once.

    No candidate is to be blamed for an interpreter that cannot start.

    Raises:
        SandboxUnavailable: it does not work there.
    """
    tried = session.run(SandboxCommand(arguments=(session.python, "-I", "-S", "-c", "")))
    if tried.exit_code == 0:
        return session
    session.close()
    reason = tried.stderr.decode(errors="replace").strip().splitlines()
    what = reason[-1] if reason else f"it ends with exit code {tried.exit_code}"
    raise SandboxUnavailable(f"sandbox driver {driver!r} has no Python for commands ({what}): {_suggest_remedy(image)}")


def _suggest_remedy(image: str) -> str:
    if image:
        return f"use an image that has python3, unlike {image!r}"
    return f"{sys.executable} and its libraries have to be readable for all users; or choose another sandbox.driver"
