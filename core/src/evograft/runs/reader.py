"""Reading the log of a run that another process may be writing, or that is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evograft.errors import LogDamaged
from evograft.log.journal import Journal
from evograft.log.records import Record
from evograft.plugin.loading import load_driver
from evograft.runs.index import open_run
from evograft.runs.lock_file import RunFolder
from evograft.runs.storage import load_log_store
from evograft.store.sqlite import SqliteStore
from evograft_hookspecs import NoOptions
from evograft_hookspecs.drivers.shared_store import SharedPlace
from evograft_hookspecs.drivers.store import Row


@contextmanager
def open_journal(folder: Path) -> Iterator[Journal]:
    """Open the log of a run for a reader; the run may be live."""
    with reading_run(open_run(folder)) as journal:
        yield journal


@contextmanager
def reading_run(run: RunFolder) -> Iterator[Journal]:
    """Open the log of a run whose lock file was read."""
    store = load_driver("store", run.pipeline.store)
    store.open(run.path, durable=False, writable=False)
    try:
        yield Journal(store)
    finally:
        store.close()


@contextmanager
def open_log(folder: Path) -> Iterator[Journal]:
    """Open the log of a run for a reader who does not need the lock file; the run may be live."""
    store = load_log_store(folder)
    store.open(folder, durable=False, writable=False)
    try:
        yield Journal(store)
    finally:
        store.close()


@contextmanager
def salvaging(folder: Path, damage: list[LogDamaged]) -> Iterator[Iterator[Record]]:
    """Open the records of a log that may be damaged; what could not be read is noted in `damage`.

    Of a log in a shared store, everything up to the first damage is read.
    """
    if SharedPlace.find(folder) is not None:
        with open_log(folder) as journal:
            yield _until_damage(journal, damage)
        return
    # The lock file may be what is damaged, so this asks for no more than the folder.
    store = SqliteStore(NoOptions())
    rows = store.salvage(folder)
    try:
        yield _readable(Journal(store), rows, damage)
    finally:
        store.close()


def _until_damage(journal: Journal, damage: list[LogDamaged]) -> Iterator[Record]:
    try:
        yield from journal.records()
    except LogDamaged as err:
        damage.append(err)


def _readable(journal: Journal, rows: Iterator[Row | LogDamaged], damage: list[LogDamaged]) -> Iterator[Record]:
    for row in rows:
        if isinstance(row, LogDamaged):
            damage.append(row)
            continue
        try:
            yield journal.read(row)
        except LogDamaged as err:
            damage.append(err)
