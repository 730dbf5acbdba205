"""The files of a repository that tell what it needs: those of its root and of the folders below."""

from __future__ import annotations

import os
import posixpath
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evograft_env_setup.analysis.analysis import AnalysisFinding
from evograft_env_setup.manifests.content import FileContent, read_content
from evograft_env_setup.manifests.formats import REQUIREMENTS, ManifestFormat, find_format
from evograft_env_setup.manifests.manifest import UnreadableManifest
from evograft_env_setup.manifests.readers import requirements
from evograft_env_setup.text.printable import escape_unprintable

MOST_FOLDERS = 10_000
MOST_FILES = 200
WORK = 1.0
"""After how much no more is read: a file counts as the part that it is of the largest one of its kind."""
HASHES_COST = 0.1
"""What a line with a hash takes of the work of any other line."""
PASSED_OVER = frozenset(
    {
        "node_modules",
        "bower_components",
        "vendor",
        "venv",
        "env",
        "site-packages",
        "__pycache__",
        "target",
        "build",
        "dist",
    }
)
"""Folders that hold what others have written, or what a build has."""
SHOWN = frozenset({".devcontainer"})
"""Hidden folders that are looked into."""


@dataclass
class Detection:
    """The files that were found: the root's first."""

    files: dict[str, str] = field(default_factory=dict)
    findings: list[AnalysisFinding] = field(default_factory=list)


class FileDetector:
    """A search through one repository."""

    def __init__(self, root: Path, *, depth: int) -> None:
        self._root = root
        self._depth = depth
        self._detection = Detection()
        self._tried: set[str] = set()
        self._work = 0.0

    def look(self) -> Detection:
        paths = sorted(self._paths(), key=_importance)
        if "requirements.txt" in paths:
            # What it includes is installed; of the lists that come before by alphabet, nobody knows.
            self._take("requirements.txt")
            self._follow_includes()
        for path in paths:
            self._take(path)
        self._follow_includes()
        self._detection.files = dict(sorted(self._detection.files.items(), key=lambda item: _level(item[0])))
        return self._detection

    def _paths(self) -> Iterator[str]:
        """Yield the paths of files that are looked for, a level at a time."""
        level, left = [""], MOST_FOLDERS
        for depth in range(self._depth + 1):
            if not level:
                return
            below: list[str] = []
            for folder in level:
                for entry in self._entries(folder):
                    path = folder + entry.name
                    if find_format(path):
                        yield path
                    elif depth < self._depth and _is_looked_into(entry):
                        below.append(f"{path}/")
            if len(below) > left:
                self._note(".", f"has more than {MOST_FOLDERS:,} folders: the others were not looked into")
            level = sorted(below)[:left]
            left -= len(level)

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(self._root / folder) as entries:
                yield from entries
        except OSError as err:
            self._note(folder or ".", f"can't be listed: {err.strerror}")

    def _take(self, path: str) -> None:
        """Read a file unless it was tried already; what is wrong with it is noted."""
        if path in self._tried:
            return
        self._tried.add(path)
        try:
            _require_printable(path)
            content = self._read(path)
        except UnreadableManifest as err:
            self._note(path, str(err))
            return
        self._detection.files[path] = content.text
        if content.encoding != "utf-8":
            self._note(path, f"is in {content.encoding}, which not every tool reads: save it as UTF-8")

    def _read(self, path: str) -> FileContent:
        if len(self._detection.files) >= MOST_FILES:
            raise UnreadableManifest(f"was not read: there are more than {MOST_FILES} such files")
        kind = find_format(path) or REQUIREMENTS
        is_spent = self._work >= WORK
        if is_spent and not kind.lock:
            raise UnreadableManifest("was not read: the files before it are too large in all")
        content = read_content(self._root, path, 0 if is_spent else kind.largest)
        if not content.is_cut:
            self._work += _share(content, kind)
        elif not kind.lock:
            self._note(path, f"has {content.size:,} bytes, and only up to {kind.largest:,} are read")
        return content

    def _follow_includes(self) -> None:
        """Read what lists of requirements name with `-r`, and what these name; nothing outside the root."""
        todo = deque(path for path in self._detection.files if find_format(path) is REQUIREMENTS)
        while todo:
            path = todo.popleft()
            for written in requirements.read(self._detection.files[path], path).includes:
                self._include(written, path, todo)

    def _include(self, written: str, path: str, todo: deque[str]) -> None:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
        if "://" in written or target.startswith(("../", "/")):
            self._note(path, f"includes {written[:200]!r}, which is not followed: it is not in the repository")
        elif target not in self._tried:
            self._take(target)
            if target in self._detection.files:
                todo.append(target)

    def _note(self, path: str, what: str) -> None:
        self._detection.findings.append(AnalysisFinding(file=escape_unprintable(path), what=escape_unprintable(what)))


def _share(content: FileContent, kind: ManifestFormat) -> float:
    """Return the part that a file is of the largest of its kind.

    Lists of requirements have a largest number of lines, too.
    """
    if kind is not REQUIREMENTS:
        return content.size / kind.largest
    rest, hashes = requirements.without_hashes(content.text)
    saved = 1 - HASHES_COST
    size = content.size - saved * (len(content.text) - len(rest))
    lines = content.text.count("\n") - saved * hashes
    return max(size / kind.largest, lines / requirements.MOST_LINES)


def _level(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _importance(path: str) -> tuple[bool, int, str]:
    """Return a key that sorts the root first, and lock files last: of these it matters most that they are there."""
    kind = find_format(path)
    return kind is not None and kind.lock, *_level(path)


def _require_printable(path: str) -> None:
    if escape_unprintable(path) != path:
        raise UnreadableManifest("was not read: its name has characters that can't be shown")


def _is_looked_into(entry: os.DirEntry[str]) -> bool:
    if entry.name in PASSED_OVER or (entry.name.startswith(".") and entry.name not in SHOWN):
        return False
    return entry.is_dir(follow_symlinks=False)
