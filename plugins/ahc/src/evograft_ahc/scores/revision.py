"""Which revision of a git repository a program's file is."""

from __future__ import annotations

import subprocess
from pathlib import Path

from evograft_ahc.scores.run import Revision

SECONDS = 10
# A repository's configuration may name a program for this, which `status` would start.
PLAIN = ("git", "-c", "core.fsmonitor=false")


def find_revision(file: Path, *others: Path) -> Revision:
    """Return the revision of a program's file; an empty one where git is missing, or the file is in no repository.

    Args:
        file: of the program.
        others: that belong to the program.
    """
    commit = _ask(file, "rev-parse", "--short", "HEAD")
    if not commit:
        return Revision()
    tag = _ask(file, "describe", "--tags", "--exact-match")
    is_changed = any(_ask(each, "status", "--porcelain", "--", each.name) for each in (file, *others))
    return Revision(commit + "+" * is_changed, tag)


def _ask(file: Path, *words: str) -> str:
    """Return what git prints in the file's folder; empty where it refuses, or is not there."""
    try:
        done = subprocess.run(  # noqa: S603 - git's own words
            [*PLAIN, *words], cwd=file.absolute().parent, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
