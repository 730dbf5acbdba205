"""The folder that a model may look into, and the only way to open anything in it."""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from evograft_code_explainer.files.descent import Descent
from evograft_code_explainer.files.printable import clip_line, escape_name
from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.secrets import Secrets

LONGEST_PATH = 4096
LOOKED_THROUGH = 2000
"""Names among which one that does not exist is looked for."""

REASONS = {
    errno.ENOENT: "there is no such file or folder",
    errno.ENOTDIR: "a file stands where the path has a folder",
    errno.ELOOP: "its links lead in a circle, or it changed while it was opened",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EACCES: "it may not be read",
    errno.EPERM: "it may not be read",
}


@dataclass(frozen=True)
class OpenedPath:
    """A file or a folder that is open."""

    path: str
    """The real path from the root, without links; empty: the root itself."""
    descriptor: int


class RepositoryRoot:
    """A folder that opens what lies below it and is not a secret; raises `RequestRefused` for anything else."""

    def __init__(self, folder: Path, secrets: Secrets) -> None:
        self._given = str(folder.absolute())
        self._real = str(folder.resolve())
        self._secrets = secrets

    @property
    def folder(self) -> str:
        """Return the real path of the folder, for programs that are started in it."""
        return self._real

    @contextmanager
    def file(self, path: str) -> Iterator[OpenedPath]:
        """Open a plain file for reading."""
        with self._way(path) as way:
            if way.file is None:
                raise RequestRefused(f"{escape_name(path)} is a folder: list it with list_file")
            yield OpenedPath(way.path, way.file)

    @contextmanager
    def subfolder(self, path: str) -> Iterator[OpenedPath]:
        with self._way(path) as way:
            if way.file is not None:
                raise RequestRefused(f"{escape_name(path)} is a file: read it with read_file")
            yield OpenedPath(way.path.rstrip("/"), way.folder)

    def is_folder(self, path: str) -> bool:
        with self._way(path) as way:
            return way.file is None

    def secrets_among(self, paths: Sequence[str]) -> set[str]:
        """Return those of real paths, with a slash at their end if they are folders, that no tool reads."""
        return self._secrets.among(paths)

    @contextmanager
    def _way(self, path: str) -> Iterator[Descent]:
        """Go to what a path names, through all of its links."""
        asked = clip_line(escape_name(path), 200)
        if "\0" in path or len(path) > LONGEST_PATH:
            raise RequestRefused(f"{asked}: no path has a NUL or {LONGEST_PATH:,} characters")
        with self._descent() as way:
            try:
                way.go(path)
            except OSError as err:
                raise RequestRefused(f"{asked}: {self._reason(err, path, way)}") from err
            except RequestRefused as err:
                raise RequestRefused(f"{asked}: {err}") from err
            if any(each in self._secrets for each in (way.path, *way.links)):
                raise RequestRefused(f"{asked}: files with passwords and keys are not read; go on without it")
            yield way

    def _descent(self) -> Descent:
        try:
            return Descent(self._real, self._parts)
        except OSError as err:
            raise RequestRefused(f"the root can't be opened: {err.strerror}") from err

    def _parts(self, path: str) -> list[str]:
        """Return the components below the root; nothing is looked up, so `..` stays where it is."""
        if not path.startswith("/"):
            return path.split("/")
        for home in (self._real, self._given):
            if PurePosixPath(path).is_relative_to(home):
                return list(PurePosixPath(path).relative_to(home).parts)
        raise RequestRefused(
            "it lies outside of the root, and only what is below it is read: give a path from the root on"
        )

    def _reason(self, err: OSError, path: str, way: Descent) -> str:
        reason = REASONS.get(err.errno or 0, err.strerror or "it can't be opened")
        if err.errno != errno.ENOENT or way.file is not None:
            return reason
        near = difflib.get_close_matches(PurePosixPath(path).name, self._names(way), n=3)
        hint = f"did you mean {', '.join(escape_name(way.path + name) for name in near)}?" if near else "use list_file"
        return f"{reason}; {hint}"

    def _names(self, way: Descent) -> list[str]:
        """Return what is in the folder where a way ended too early, without the secrets."""
        try:
            with os.scandir(way.folder) as entries:
                found = [entry.name for entry in islice(entries, LOOKED_THROUGH)]
        except OSError:
            return []
        return [name for name in found if way.path + name not in self._secrets]
