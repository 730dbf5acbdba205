"""A disk cache for arrays that are a pure function of their key: losing it costs time, never a result."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evograft.api import ensure_cache_folder

Arrays = dict[str, npt.NDArray[Any]]

MAX_BYTES = 500_000_000
"""What the folder may hold."""

DIGESTS = "digests"
"""The member that holds the SHA-256 of every other one."""


def get_cache_folder() -> Path:
    return ensure_cache_folder("graph_invariant")


def build_cache_key(*parts: object) -> str:
    """Return a file name's stem: equal for equal JSON data only."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def load_or_build(
    key: str, members: Iterable[str], build: Callable[[], Arrays], *, folder: Path | None, keep: bool = True
) -> Arrays:
    """Return the named arrays from the file of this key; a file that is missing or damaged is built again.

    Args:
        key: see `build_cache_key`.
        members: the arrays that are wanted; the others are not read, so they never get into this process's memory.
        build: makes all arrays of the file.
        folder: where the files are; `None` keeps nothing.
        keep: whether what is built is kept; without, `build` may make no more than the members.
    """
    if folder is None:
        return _pick(build(), members)
    path = folder / f"{key}.npz"
    found = _read(path, members)
    if found is not None:
        return found
    arrays = build()
    if keep:
        _write(path, arrays)
    return _pick(arrays, members)


def _pick(arrays: Mapping[str, npt.NDArray[Any]], members: Iterable[str]) -> Arrays:
    return {name: arrays[name] for name in members}


def _read(path: Path, members: Iterable[str]) -> Arrays | None:
    """Return the arrays, or `None` if there is no such file or one of them is not what was written."""
    try:
        # Opened here, since NumPy leaves a damaged file open.
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            digests = json.loads(file[DIGESTS].tobytes())
            arrays = {name: file[name] for name in members}
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, NotImplementedError):
        return None
    sound = all(digests.get(name) == _digest(array) for name, array in arrays.items())
    return arrays if sound else None


def _write(path: Path, arrays: Arrays) -> None:
    """Write a temporary file and rename it, so that no reader sees half a file; skip a folder that can't be written."""
    digests = json.dumps({name: _digest(array) for name, array in arrays.items()})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **{**arrays, DIGESTS: np.frombuffer(digests.encode(), dtype=np.uint8)})
        Path(temporary).replace(path)
        _make_room(path.parent)
    except OSError:
        Path(temporary).unlink(missing_ok=True)


def _make_room(folder: Path) -> None:
    """Remove the oldest files beyond the bound: every new seed leaves some megabytes."""
    files = sorted(((path.stat(), path) for path in folder.glob("*.npz")), key=lambda item: -item[0].st_mtime)
    size = 0
    for stat, path in files:
        size += stat.st_size
        if size > MAX_BYTES:
            path.unlink(missing_ok=True)


def _digest(array: npt.NDArray[Any]) -> str:
    head = f"{array.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + np.ascontiguousarray(array).tobytes()).hexdigest()
