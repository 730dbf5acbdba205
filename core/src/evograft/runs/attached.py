"""Files of the user's that a run was started with: in its folder, and in the shared store that the folder stands for.

In a shared store, each content is a document under its hash, and a list says which file has which. Settings name the
files by the run's own folder, which is another one on each machine.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import TypeAdapter, ValidationError

from evograft.errors import LogDamaged
from evograft_hookspecs.drivers.shared_store import RunStorage
from evograft_hookspecs.values import Text, Value

ATTACHED = "task"
"""The folder of files of the user's that a run was started with."""
LIST = "attached.json"
CONTENT = "attached/"
"""Begins the names of the documents with the contents."""
PARTIAL = f"{ATTACHED}.partial"


class AttachedFile(Value):
    """A file, or a link to what every machine has at the same path."""

    path: Text
    """Within the folder, with `/`."""
    link: Text = ""
    """The target of a link; empty: it is a file."""
    digest: Text = ""
    """The SHA-256 of a file's content."""
    is_executable: bool = False


_FILES = TypeAdapter(tuple[AttachedFile, ...])


def keep_attached(folder: Path, storage: RunStorage) -> None:
    """Write the files that a run was started with to a shared store, if there are any; the list comes last."""
    attached = folder / ATTACHED
    if not attached.is_dir():
        return
    files = tuple(_describe(path, path.relative_to(attached).as_posix()) for path in _walk(attached))
    for digest, path in {each.digest: attached / each.path for each in files if each.digest}.items():
        storage.write_document(f"{CONTENT}{digest}", path.read_bytes())
    storage.write_document(LIST, _FILES.dump_json(files))


def fetch_attached(storage: RunStorage, folder: Path) -> None:
    """Put the files that a run was started with into its folder on this machine, unless they are there.

    Raises:
        LogDamaged: the store lacks some of them, or holds them changed.
    """
    attached, partial = folder / ATTACHED, folder / PARTIAL
    if attached.exists() or (listed := storage.read_document(LIST)) is None:
        return
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    # Links last: no file is written through one.
    for each in sorted(_read_list(listed), key=lambda file: bool(file.link)):
        _write(storage, each, partial / each.path)
    partial.rename(attached)


def relocate(settings: Any, origin: Path, here: Path) -> Any:
    """Return settings, as plain data, whose paths within one folder are within another."""
    if isinstance(settings, Mapping):
        return {key: relocate(value, origin, here) for key, value in settings.items()}
    if isinstance(settings, list):
        return [relocate(each, origin, here) for each in settings]
    if isinstance(settings, str) and names_path(settings, origin):
        return f"{here}{settings.removeprefix(str(origin))}"
    return settings


def names_path(text: str, folder: Path) -> bool:
    """Return whether a text is the path of a folder, or one within it."""
    return text == str(folder) or text.startswith(f"{folder}/")


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(parent, name) for name in sorted((*names, *links)))


def _describe(path: Path, place: str) -> AttachedFile:
    if path.is_symlink():
        return AttachedFile(path=place, link=str(path.readlink()))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return AttachedFile(path=place, digest=digest, is_executable=os.access(path, os.X_OK))


def _read_list(listed: bytes) -> tuple[AttachedFile, ...]:
    try:
        files = _FILES.validate_json(listed)
    except ValidationError as err:
        raise LogDamaged(f"the list of files that the run was started with is damaged: {err}") from err
    for each in files:
        place = PurePosixPath(each.path)
        if place.is_absolute() or ".." in place.parts or not place.parts:
            raise LogDamaged(
                f"the list of files that the run was started with names {each.path!r}, outside of its folder"
            )
    return files


def _write(storage: RunStorage, file: AttachedFile, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.link:
        path.symlink_to(file.link)
        return
    content = storage.read_document(f"{CONTENT}{file.digest}")
    if content is None or hashlib.sha256(content).hexdigest() != file.digest:
        raise LogDamaged(f"the store lacks {file.path!r}, which the run was started with, or holds it changed")
    path.write_bytes(content)
    path.chmod(0o755 if file.is_executable else 0o644)
