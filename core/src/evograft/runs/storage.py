"""What belongs to a run next to its log: in its folder, or in the shared store that the folder stands for."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from evograft.config.pipeline import DriverSection
from evograft.files import write_atomically
from evograft.plugin.loading import load_driver
from evograft.runs.folder_storage import FolderStorage
from evograft.runs.writer_lock import WriterLock
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.drivers.shared_store import SHARED_FILE, RunStorage, SharedPlace, SharedStore
from evograft_hookspecs.drivers.store import Store


@contextmanager
def open_storage(folder: Path, lock: WriterLock | None = None) -> Iterator[RunStorage]:
    """Open what belongs to a run next to its log.

    Args:
        folder: of the run.
        lock: of the folder, if this process works on the run.
    """
    place = SharedPlace.find(folder)
    storage = FolderStorage(folder, lock) if place is None else load_shared_store(place).storage(place.run)
    with closing(storage):
        yield storage


@contextmanager
def claim_storage(folder: Path) -> Iterator[RunStorage]:
    """Become the only process that works on a run, here and on other machines."""
    advice = f"stop that one first, with: evo stop {shlex.quote(str(folder))}"
    with WriterLock(folder, advice=advice) as lock, open_storage(folder, lock) as storage:
        storage.claim()
        yield storage


def load_log_store(folder: Path) -> Store:
    """Return the store that keeps the log of a folder, whatever its lock file says."""
    place = SharedPlace.find(folder)
    return load_store(DriverSection(driver="sqlite") if place is None else section_of(place))


def load_store(section: DriverSection) -> Store:
    """Return the store of a section of settings."""
    store: Store = load_driver("store", section)
    return store


def load_shared_store(place: SharedPlace) -> SharedStore:
    """Return the store that a folder stands for."""
    store: SharedStore = load_driver("store", section_of(place))
    return store


def section_of(place: SharedPlace) -> DriverSection:
    """Return the settings of the store in which the run of a folder is."""
    return DriverSection(driver=place.driver, **place.options)


def mark_shared(folder: Path, store: Store, section: DriverSection, *, run: str) -> None:
    """Let a folder stand for a run of a store, if that is a shared one.

    Args:
        folder: of the run on this machine.
        store: keeps the run's log.
        section: the settings of the store.
        run: its id.
    """
    if isinstance(store, SharedStore):
        write_place(folder, SharedPlace(driver=section.driver, options=FrozenDict(section.options), run=run))


def write_place(folder: Path, place: SharedPlace) -> None:
    """Write down which run of which store a folder stands for."""
    write_atomically(folder / SHARED_FILE, place.model_dump_json().encode())


def keep_document(folder: Path, name: str, content: bytes) -> None:
    """Replace a document of a run; a copy is in its folder wherever the run is kept, so that the folder is found."""
    with open_storage(folder) as storage:
        storage.write_document(name, content)
    if SharedPlace.find(folder) is not None:
        FolderStorage(folder).write_document(name, content)


def writer_of(folder: Path) -> int | None:
    """Return the process that works on a run at this moment, if there is one; it may be on another machine."""
    with open_storage(folder) as storage:
        writer = storage.writer()
    return None if writer is None else writer.process


def note_of(folder: Path) -> str:
    """Return what the process that works on a run has noted last; empty: nothing."""
    with open_storage(folder) as storage:
        writer = storage.writer()
    return "" if writer is None else writer.note


def last_written(folder: Path) -> float:
    """Return the Unix time at which anything of a run was last written."""
    with open_storage(folder) as storage:
        return storage.last_written()
