"""The Python that a session offers to commands: the running interpreter with its libraries, or that of an image."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evograft_hookspecs import FrozenDict, SandboxCommand, SandboxUnavailable
from evograft_sandbox.commands.session import RunnerSession

OF_IMAGE = "python3"
"""How the interpreter of an image is called."""
PARTS = ("bin", "lib", "lib64", "pyvenv.cfg")
"""What an environment is made of. The rest of its folder may be a project, with what no candidate is to see."""
MOST_LINKS = 40
SECONDS_TO_ANSWER = 60
ASK = """import json, sys
prefixes = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
print(json.dumps([sys.version_info[:2], sys.executable, prefixes]))"""


@dataclass(frozen=True)
class Interpreter:
    """A Python of this machine."""

    program: str
    """Absolute; links are kept, because an environment is found by the name of its program."""
    prefixes: tuple[str, ...]
    """The folders that it and its libraries are installed in."""
    version: tuple[int, int]

    @classmethod
    def running(cls) -> Interpreter:
        prefixes = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
        return cls(sys.executable, prefixes, sys.version_info[:2])


def find_interpreter(name: str) -> Interpreter:
    """Return the Python of a path, or of a name that is looked for on the `PATH`, after asking it.

    Raises:
        SandboxUnavailable: it is not there, or does not answer.
    """
    path = Path(name).expanduser()
    program = shutil.which(path.absolute() if path.parent != Path() else name)
    if program is None:
        raise SandboxUnavailable(f"python {name!r}: there is no such program, or it cannot be executed")
    try:
        # Isolated from the environment and the current folder, which evaluations do not have.
        command = [program, "-I", "-c", ASK]
        done = subprocess.run(command, capture_output=True, check=True, timeout=SECONDS_TO_ANSWER)  # noqa: S603 - the user's
        version, executable, prefixes = json.loads(done.stdout)
        return Interpreter(str(executable or program), tuple(map(str, prefixes)), (int(version[0]), int(version[1])))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError, IndexError) as err:
        raise SandboxUnavailable(f"python {name!r} does not answer as a Python does: {err}") from err


def find_interpreter_mounts(interpreter: Interpreter, shown: Iterable[str]) -> dict[str, str]:
    """Return the paths that an interpreter needs, each under its own name.

    Args:
        interpreter: of this machine.
        shown: folders that commands see in any case.
    """
    folders = dict.fromkeys(path for prefix in interpreter.prefixes for path in (prefix, os.path.realpath(prefix)))
    parts = (str(Path(folder, part)) for folder in folders for part in PARTS)
    needed = [path for path in (*parts, *_find_links(interpreter.program)) if Path(path).exists()]
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
    return FrozenDict({**mounts, **find_interpreter_mounts(Interpreter.running(), (*shown, *own))})


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
