"""A project on its way into a place: as an archive, with a digest by which it is known again."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO

NEVER_COPIED = frozenset(
    {"node_modules", "__pycache__", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".gradle"}
)
"""Folders that tools make for the machine they run on."""
SECRETS = frozenset({".env", ".env.local", ".netrc", ".pypirc", ".npmrc.local", ".envrc"})
"""Files that hold keys by custom; commands of a set-up reach the network."""


@dataclass(frozen=True)
class Packed:
    """What was packed."""

    digest: str
    """Of names, contents and rights of execution; of no dates and owners, which a clone changes."""
    left_out: tuple[str, ...]
    """Paths from the project's folder."""


def pack(project: Path, archive: IO[bytes], *, owner: int) -> Packed:
    """Writes the folder as a tar archive. Links stay links, and what is neither file, folder nor link stays here.

    Args:
        project: the folder.
        archive: is written from where it stands.
        owner: number of the user and group that the files shall belong to.

    Raises:
        OSError: something can't be read, or changes meanwhile; the path is in the error.
    """
    digest = hashlib.sha256()
    left_out: list[str] = []
    with tarfile.open(fileobj=archive, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for path in _walk(project, left_out):
            _add(tar, path, path.relative_to(project).as_posix(), owner, digest)
    return Packed(digest.hexdigest(), tuple(left_out))


def unpack(archive: IO[bytes], folder: Path) -> None:
    """Makes what `pack` has written, in an empty folder. Links lead wherever they do, and nothing goes through them.

    Args:
        archive: is read from where it stands.
        folder: where.

    Raises:
        OSError: something can't be written.
        tarfile.TarError: somebody else has written the archive.
    """
    with tarfile.open(fileobj=archive, mode="r|") as tar:
        tar.extractall(folder, filter="tar", numeric_owner=True)


def _walk(root: Path, left_out: list[str]) -> Iterator[Path]:
    """Files after the folder that they are in; it may be deeper than functions can call themselves."""
    ahead = [*_entries(root)]
    while ahead:
        entry = ahead.pop()
        path = Path(entry.path)
        is_folder = entry.is_dir(follow_symlinks=False)
        if _is_made_here(path) if is_folder else entry.name in SECRETS:
            left_out.append(path.relative_to(root).as_posix())
            continue
        if is_folder or entry.is_symlink() or entry.is_file(follow_symlinks=False):
            yield path
        if is_folder:
            ahead += _entries(path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """The last one by name comes first."""
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda each: each.name, reverse=True)


def _is_made_here(folder: Path) -> bool:
    return folder.name in NEVER_COPIED or (folder / "pyvenv.cfg").is_file()


def _add(tar: tarfile.TarFile, path: Path, name: str, owner: int, digest: hashlib._Hash) -> None:
    member = _member(path, name, owner)
    head = f"{member.type!r} {member.mode:o} {member.size} {name}\0{member.linkname}\0"
    digest.update(head.encode(errors="surrogateescape"))
    with path.open("rb") if member.isreg() else nullcontext() as file:
        tar.addfile(member, _Hashed(file, digest) if file else None)


def _member(path: Path, name: str, owner: int) -> tarfile.TarInfo:
    status = path.lstat()
    member = tarfile.TarInfo(name)
    member.mode = 0o755 if stat.S_ISDIR(status.st_mode) or status.st_mode & stat.S_IXUSR else 0o644
    member.uid = member.gid = owner
    member.mtime = int(status.st_mtime)
    if stat.S_ISLNK(status.st_mode):
        member.type, member.linkname = tarfile.SYMTYPE, os.readlink(path)  # noqa: PTH115 - Path would tidy it up
    elif stat.S_ISDIR(status.st_mode):
        member.type = tarfile.DIRTYPE
    else:
        member.size = status.st_size
    return member


class _Hashed(io.RawIOBase):
    """A file that is hashed as it is read."""

    def __init__(self, file: IO[bytes], digest: hashlib._Hash) -> None:
        self._file = file
        self._digest = digest

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._digest.update(data)
        return data
