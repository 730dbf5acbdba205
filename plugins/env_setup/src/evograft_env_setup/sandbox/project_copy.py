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

from evograft.api import LOCK_FILE
from evograft_env_setup.sandbox.bwrap.own_folder import cache_folder
from evograft_env_setup.text.printable import escape_unprintable

NEVER_COPIED = frozenset(
    {"node_modules", "__pycache__", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".gradle"}
)
"""Folders that tools make for the machine they run on."""
MARKS = ("pyvenv.cfg", LOCK_FILE)
"""Files by which a folder is a virtual environment, or a run: its log grows, and says what its candidates are not to
know."""
SECRETS = frozenset({".env", ".env.local", ".envrc", ".git-credentials", ".netrc", ".npmrc.local", ".pypirc"})
"""Files that hold keys by custom; commands of a set-up reach the network."""
GIT_SETTINGS = frozenset({"config", "config.worktree"})
"""Likewise, within git's own folder: checkouts of CI put their token there. git does without."""
GIT_OWN = frozenset({"index", "logs", "objects", "FETCH_HEAD", "ORIG_HEAD"})
"""What git writes differently at each clone, some of it at each look; which commit is there is said elsewhere."""


@dataclass(frozen=True)
class Packed:
    """The result of packing."""

    digest: str
    """Of names, contents and rights of execution; of no dates, owners and books of git, which a clone changes."""
    left_out: tuple[str, ...]
    """Paths from the project's folder: what tools have made, what may hold keys, and pipes, sockets and devices."""

    @property
    def told(self) -> str:
        """Return what was left out, in a line; empty if nothing was."""
        return f"not copied: {', '.join(map(escape_unprintable, self.left_out))}" if self.left_out else ""


def pack(project: Path, archive: IO[bytes], *, owner: int, below: str = "") -> Packed:
    """Write the folder as a tar archive.

    Links stay links, and what is neither file, folder nor link stays here.

    Args:
        project: the folder.
        archive: is written from where it stands.
        owner: number of the user and group that the files shall belong to.
        below: what all names in the archive begin with, such as `folder/`.

    Raises:
        OSError: something can't be read, or changes meanwhile; the path is in the error.
    """
    digest = hashlib.sha256()
    left_out: list[str] = []
    with tarfile.open(fileobj=archive, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for path in _walk(project, left_out):
            member = _member(path, path.relative_to(project).as_posix(), owner)
            _add(tar, path, member, hashlib.sha256() if _is_git_own(member.name) else digest, below)
    return Packed(digest.hexdigest(), tuple(left_out))


def unpack(archive: IO[bytes], folder: Path) -> None:
    """Make what `pack` has written. Links lead wherever they do, and nothing goes through them.

    Args:
        archive: is read from where it stands.
        folder: an empty one.

    Raises:
        OSError: something can't be written.
        tarfile.TarError: `pack` has not written it.
    """
    with tarfile.open(fileobj=archive, mode="r|") as tar:
        # Python's own filters look at each folder above a file, at each file: minutes for a project that is deep.
        tar.extraction_filter = lambda member, _: member
        tar.extractall(folder, _check(tar), numeric_owner=True)  # noqa: S202 - what is extracted is checked


def _check(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Files, folders and links, each once and in a folder that came before it, so that none is outside."""
    folders: set[str] = set()
    names: set[str] = set()
    for member in tar:
        above, slash, name = member.name.rpartition("/")
        is_placed = (above in folders or not slash) and name not in ("", ".", "..")
        is_of_ours = member.isreg() or member.isdir() or member.issym()
        if not (is_placed and is_of_ours) or member.name in names:
            raise tarfile.TarError(f"{member.name!r} is not where a project's file can be")
        names.add(member.name)
        if member.isdir():
            folders.add(member.name)
        yield member


def _walk(root: Path, left_out: list[str]) -> Iterator[Path]:
    """Yield files after the folder that they are in; it may be deeper than functions can call themselves."""
    ahead = _entries(root)
    while ahead:
        entry = ahead.pop()
        path = Path(entry.path)
        if _stays_here(entry):
            left_out.append(path.relative_to(root).as_posix())
            continue
        yield path
        if entry.is_dir(follow_symlinks=False):
            ahead += _entries(path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return a folder's entries, the last one by name first."""
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda each: each.name, reverse=True)


def _stays_here(entry: os.DirEntry[str]) -> bool:
    if entry.is_dir(follow_symlinks=False):
        is_made_here = any(Path(entry.path, mark).is_file() for mark in MARKS)
        return entry.name in NEVER_COPIED or is_made_here or _is_cache(entry)
    if entry.name in GIT_SETTINGS and ".git" in Path(entry.path).parts:
        return True
    return entry.name in SECRETS or not (entry.is_symlink() or entry.is_file(follow_symlinks=False))


def _is_cache(entry: os.DirEntry[str]) -> bool:
    """Return whether set-ups are kept in a folder.

    It lies in the project where CI keeps caches there, or the project is a home.
    """
    own = cache_folder()
    return entry.name == own.name and own.samefile(entry.path)


def _add(tar: tarfile.TarFile, path: Path, member: tarfile.TarInfo, digest: hashlib._Hash, below: str) -> None:
    head = f"{member.type!r} {member.mode:o} {member.size} {member.name}\0{member.linkname}\0"
    digest.update(head.encode(errors="surrogateescape"))
    member.name = below + member.name
    with path.open("rb") if member.isreg() else nullcontext() as file:
        tar.addfile(member, _Hashed(file, digest) if file else None)


def _is_git_own(name: str) -> bool:
    _, _, within = f"/{name}".rpartition("/.git/")
    return within.partition("/")[0] in GIT_OWN


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
