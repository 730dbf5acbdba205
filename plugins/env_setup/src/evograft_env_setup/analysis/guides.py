"""Files in which people say how a repository is built: its README, and what CI runs. Only planners read them."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from evograft_env_setup.manifests.content import read_content
from evograft_env_setup.manifests.manifest import UnreadableManifest
from evograft_env_setup.text.printable import escape_unprintable

NAMES = {
    "": ("readme*", "contributing*", ".gitlab-ci.yml"),
    ".github/workflows": ("*.yml", "*.yaml"),
}
"""Patterns of names in lower case, by folder."""
MOST = 8
LARGEST = 64 * 1024
"""Bytes of a file; of one that is larger, the beginning is read."""


def find_guides(root: Path) -> dict[str, str]:
    """Return those that can be read, by path from the root."""
    return dict(islice(_read(root), MOST))


def _read(root: Path) -> Iterator[tuple[str, str]]:
    for path in _paths(root):
        try:
            yield path, read_content(root, path, LARGEST).text
        except UnreadableManifest:  # nothing depends on it
            continue


def _paths(root: Path) -> Iterator[str]:
    for folder, patterns in NAMES.items():
        try:
            names = sorted(entry.name for entry in (root / folder).iterdir())
        except OSError:
            continue
        for name in names:
            if any(fnmatchcase(name.lower(), pattern) for pattern in patterns) and escape_unprintable(name) == name:
                yield f"{folder}/{name}" if folder else name
