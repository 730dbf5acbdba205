"""A walk through a folder and those below it, in a fixed order, without what nobody wants to see."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from evograft_code_explainer.files.descent import FOLDER, open_plain
from evograft_code_explainer.files.gitignore import NAME, IgnoreRules, read_lines
from evograft_code_explainer.files.kinds import VERSION_CONTROL, is_binary_name
from evograft_code_explainer.files.root import OpenedPath, RepositoryRoot

DEEPEST = 100
"""Folders within one another; each that is open costs a descriptor."""
WIDEST = 300_001
"""Entries of one folder that are looked at."""
MOST_LINES = 10_000
"""Lines of all .gitignore files of a walk; a code base may have one of thousands of lines in each folder."""

Kind = Literal["file", "folder", "link", "other"]
Reason = Literal["ignored", "binary", "secret", "unreadable", "too deep", "too wide"]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """An entry of a walk. It can be looked into until the walk continues."""

    path: str
    """From the root."""
    kind: Kind
    folder: int
    """The descriptor of the folder that it is in."""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def size(self) -> int:
        """Return the size in bytes; -1 if it is gone."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False).st_size
        except OSError:
            return -1

    def target(self) -> str:
        """Return where a link leads; empty if it is gone."""
        try:
            return os.readlink(self.name, dir_fd=self.folder)
        except OSError:
            return ""

    def read(self, most: int) -> bytes:
        """Return the first bytes of a file; raise `OSError`, also if it became something else meanwhile."""
        with os.fdopen(open_plain(self.name, self.folder), "rb") as file:
            return file.read(most)


class FolderWalk:
    """A walk below a folder: its entries first, then those of each folder in it."""

    def __init__(self, root: RepositoryRoot, *, hidden: bool, recursive: bool = True) -> None:
        """Nothing happens yet.

        Args:
            root: what it stays in.
            hidden: whether it shows what .gitignore leaves out, version control's own folders, and binary files.
            recursive: whether it goes into folders.
        """
        self._root = root
        self.hidden = hidden
        self._recursive = recursive
        self._lines_left = MOST_LINES
        self.left_out: Counter[Reason] = Counter()
        """How much was passed over; a folder counts once."""

    def below(self, start: OpenedPath) -> Iterator[FileEntry]:
        """Yield what is in a folder that the root has opened."""
        yield from self._through(start, self._rules_at(start.path), depth=0)

    def _rules_at(self, path: str) -> IgnoreRules:
        """Return the rules of a folder; nothing that was asked for by name is left out, nor is all that it holds."""
        rules = IgnoreRules()
        if self.hidden:
            return rules
        parts = path.split("/") if path else []
        for count in range(len(parts)):
            above = "".join(f"{part}/" for part in parts[:count])
            with self._root.subfolder(above) as folder:
                rules = self._below(rules, above, folder.descriptor)
            if rules.ignored([f"{above}{parts[count]}/"]):
                return IgnoreRules()
        return rules

    def _below(self, rules: IgnoreRules, path: str, folder: int) -> IgnoreRules:
        """Return the rules with those of one more folder."""
        lines = read_lines(folder)[: self._lines_left]
        self._lines_left -= len(lines)
        return rules.below(path, lines)

    def _through(self, folder: OpenedPath, rules: IgnoreRules, depth: int) -> Iterator[FileEntry]:
        prefix = f"{folder.path}/" if folder.path else ""
        found = self._entries(folder, prefix)
        if not self.hidden and any(path == prefix + NAME for path in found):
            rules = self._below(rules, prefix, folder.descriptor)
        kept = self._drop_ignored(found, rules)
        for path, kind in kept.items():
            yield FileEntry(path.rstrip("/"), kind, folder.descriptor)
        if self._recursive:
            for path in (path for path, kind in kept.items() if kind == "folder"):
                yield from self._into(path.rstrip("/"), folder.descriptor, rules, depth + 1)

    def _entries(self, folder: OpenedPath, prefix: str) -> dict[str, Kind]:
        try:
            with os.scandir(folder.descriptor) as entries:
                found = [(entry.name, _kind(entry)) for entry in islice(entries, WIDEST)]
                self.left_out["too wide"] += next(entries, None) is not None
        except OSError:
            self.left_out["unreadable"] += 1
            return {}
        return {f"{prefix}{name}{'/' if kind == 'folder' else ''}": kind for name, kind in sorted(found)}

    def _drop_ignored(self, found: dict[str, Kind], rules: IgnoreRules) -> dict[str, Kind]:
        """Return the entries that are not left out, in any case without secrets."""
        paths = list(found)
        out: dict[str, Reason] = {}
        if not self.hidden:
            out |= dict.fromkeys((path for path in paths if _is_binary(path, found[path])), "binary")
            out |= dict.fromkeys((path for path in paths if _is_version_control(path)), "ignored")
            out |= dict.fromkeys(rules.ignored(paths), "ignored")
        out |= dict.fromkeys(self._root.secrets_among(paths), "secret")
        self.left_out.update(out.values())
        return {path: kind for path, kind in found.items() if path not in out} if out else found

    def _into(self, path: str, above: int, rules: IgnoreRules, depth: int) -> Iterator[FileEntry]:
        if depth > DEEPEST:
            self.left_out["too deep"] += 1
            return
        try:
            descriptor = os.open(path.rpartition("/")[2], FOLDER, dir_fd=above)
        except OSError:
            self.left_out["unreadable"] += 1
            return
        try:
            yield from self._through(OpenedPath(path, descriptor), rules, depth)
        finally:
            os.close(descriptor)


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def _is_binary(path: str, kind: Kind) -> bool:
    return kind == "file" and is_binary_name(path)


def _is_version_control(path: str) -> bool:
    return path.rstrip("/").rpartition("/")[2] in VERSION_CONTROL
