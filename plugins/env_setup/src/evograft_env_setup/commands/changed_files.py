"""Files that a set-up follows from, and that have changed since."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from pathlib import Path

from evograft_env_setup.sandbox import SetupSandbox

MOST = 50
"""Files that are compared; a plan of a model may name any number."""
LONGEST = 1_000
"""Characters of a path that is compared: all are words of one command."""
SHORT = 60.0
"""Seconds for the comparison."""
NONE = "-"
"""In place of the digest of what is not a file."""
DIGESTS = f'for name; do {{ [ -f "$name" ] && [ ! -L "$name" ] && sha256sum < "$name"; }} || echo {NONE}; done'


def find_changed(files: Sequence[str], project: Path, sandbox: SetupSandbox) -> list[str]:
    """Return those that are others, or gone, in the project than in the environment.

    Args:
        files: paths within the project.
        project: the folder as it is now.
        sandbox: of what was set up, before the files of now are copied there.
    """
    compared = [file for file in files[:MOST] if _is_within(file)]
    if not compared:
        return []
    done = sandbox.run(f"set -- {shlex.join(compared)}; {DIGESTS}", timeout=SHORT, network=False)
    before = [line.partition(" ")[0] for line in done.stdout.splitlines()]
    # Fewer if the command was ended: what it leaves out is not known to have changed.
    pairs = zip(compared, before, strict=False)
    return [file for file, digest in pairs if digest not in (NONE, _digest(project / file))]


def _is_within(file: str) -> bool:
    path = Path(file)
    return len(file) <= LONGEST and "\0" not in file and not path.is_absolute() and ".." not in path.parts


def _digest(path: Path) -> str:
    try:
        if path.is_symlink() or not path.is_file():
            return NONE
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # it can't be read: whoever copies it will say so
        return NONE
