"""Copies of runs between folders and shared stores, row by row: the hash chain of the copy is that of the run."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from evograft.config.pipeline import DriverSection, Pipeline
from evograft.errors import LogDamaged, UserError
from evograft.log.artifact_references import artifacts_named_in
from evograft.runs.attached import ATTACHED, fetch_attached, keep_attached, relocate
from evograft.runs.environment_reports import FILE as REPORTS
from evograft.runs.folder import LEFT_BY_A_KILL
from evograft.runs.index import open_run, remember
from evograft.runs.lock_file import RunFolder
from evograft.runs.shared_runs import is_address, mirror_folder, open_shared_store, split_address
from evograft.runs.storage import claim_storage, load_log_store, load_store, mark_shared, open_storage, writer_of
from evograft.store.hash_chain import GENESIS, SCHEMA_VERSION, hash_row
from evograft.store.salvage import schema_version
from evograft_hookspecs.drivers.shared_store import RunStorage, SharedPlace
from evograft_hookspecs.drivers.store import NewRow, Row, Store

BATCH = 500
"""Rows that are written in one transaction."""


@dataclass(frozen=True)
class RunCopy:
    """What came of a copy."""

    folder: Path
    """The folder that is the copy, or stands for it on this machine."""
    place: str
    """The folder or the address, for people."""
    rows: int
    added: int
    """Rows that were not there before."""
    chain: str
    """The hash of the last row, which covers all rows."""
    writer: int | None
    """The process that works on the run that was copied, which may be further by now."""


@dataclass(frozen=True)
class _Target:
    folder: Path
    place: str
    section: DriverSection
    store: Store
    has_log: bool


def copy_run(source: Path, target: str) -> RunCopy:
    """Copy a run, or continue a copy that was cut off; a run that is worked on is copied as far as it is.

    Args:
        source: the folder of the run.
        target: a folder, or the address of a shared store, with `#NAME` if the copy is to have another name.

    Raises:
        UserError: another run is there, or the copy went on by itself.
        LogDamaged: the log of the run, or that of the copy, is not what was written.
    """
    run, writer = open_run(source), writer_of(source)
    with _reading(source) as original:
        to = _find_target(run, target)
        if not to.has_log:
            mark_shared(to.folder, to.store, to.section, run=run.id)
            to.store.create(to.folder, map(_new, islice(original.rows(), 1)))
        with claim_storage(to.folder) as storage, open_storage(source) as beside:
            to.store.open(to.folder, durable=True)
            with closing(to.store):
                added = _copy_rows(original, to)
                rows, chain = _verify(original, to)
            for message, body in beside.messages():
                storage.send_message(message, body)
            storage.write_document(REPORTS, beside.read_document(REPORTS))
            _copy_attached(beside, source, storage, to.folder)
    # Last: this makes a run of it.
    _with_store(run, to).save()
    remember(to.folder)
    return RunCopy(to.folder, to.place, rows, added, chain, writer)


def _copy_attached(beside: RunStorage, source: Path, storage: RunStorage, target: Path) -> None:
    """Copy the files that the run was started with, if there are any."""
    fetch_attached(beside, source)
    if SharedPlace.find(target) is not None:
        keep_attached(source, storage)
    elif (source / ATTACHED).is_dir():
        shutil.rmtree(target / ATTACHED, ignore_errors=True)
        shutil.copytree(source / ATTACHED, target / ATTACHED, symlinks=True)


def _with_store(run: RunFolder, to: _Target) -> RunFolder:
    epochs = (replace(epoch, pipeline=_moved(epoch.pipeline, run.path, to)) for epoch in run.epochs)
    return RunFolder(to.folder, run.id, tuple(epochs))


def _moved(pipeline: Pipeline, origin: Path, to: _Target) -> Pipeline:
    data = relocate(pipeline.to_data(), origin / ATTACHED, to.folder / ATTACHED)
    return Pipeline.model_validate(data).model_copy(update={"store": to.section})


@contextmanager
def _reading(folder: Path) -> Iterator[Store]:
    """Open the log of a run as this version writes it: one of an earlier version is rewritten in a temporary copy."""
    with tempfile.TemporaryDirectory(prefix="evo-copy-") as temporary:
        is_old = SharedPlace.find(folder) is None and schema_version(folder / "log.sqlite") < SCHEMA_VERSION
        if is_old:
            for path in (*folder.glob("log.*"), *folder.glob("artifacts.sqlite*")):
                shutil.copy2(path, temporary)
        store = load_log_store(folder)
        store.open(Path(temporary) if is_old else folder, durable=False, writable=is_old)
        with closing(store):
            yield store


def _find_target(run: RunFolder, target: str) -> _Target:
    if not is_address(target):
        folder = Path(target).absolute()
        if SharedPlace.find(folder) is not None:
            raise UserError(f"{target!r} stands for a run in a shared store: name another folder")
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "log.sqlite").exists() and {path.name for path in folder.iterdir()} - LEFT_BY_A_KILL:
            raise UserError(f"{target!r} is not empty, and not a copy of a run: name another folder")
        section = DriverSection(driver="sqlite")
        return _Target(folder, str(folder), section, load_store(section), has_log=(folder / "log.sqlite").exists())
    section, name = split_address(target)
    store = open_shared_store(section)
    known = {each.id: each.name for each in store.runs()}
    if run.id in known and name not in ("", known[run.id]):
        raise UserError(f"{target}: the run is there as {known[run.id]!r}, which a copy cannot change")
    folder = mirror_folder(run.id, known.get(run.id) or name or run.name)
    return _Target(folder, f"{store.address}#{run.id}", section, load_store(section), run.id in known)


def _new(row: Row) -> NewRow:
    return NewRow.model_construct(kind=row.kind, key=row.key, body=row.body)


def _copy_rows(original: Store, to: _Target) -> int:
    """Write the rows that the copy lacks, and return how many they were; those that it has must be the same."""
    rows, there = original.rows(), to.store.rows()
    for copied in there:
        if next(rows, None) != copied:
            raise UserError(
                f"{to.place} holds another run, or one that went on by itself: row {copied.seq} differs; "
                "copy to another place"
            )
    added = 0
    while batch := list(islice(rows, BATCH)):
        for digest in sorted(frozenset().union(*map(artifacts_named_in, batch))):
            to.store.put_artifact(original.get_artifact(digest))
        to.store.append(map(_new, batch))
        added += len(batch)
    return added


def _verify(original: Store, to: _Target) -> tuple[int, str]:
    """Read the copy back, and return how many rows it has and the hash of the last."""
    digest, count = GENESIS, 0
    # A run that is worked on may have grown.
    for copied, row in zip(to.store.rows(), original.rows(), strict=False):
        if copied != row:
            raise LogDamaged(f"row {row.seq} of the copy in {to.place} is not that of the run; copy to another place")
        digest, count = hash_row(digest, row), count + 1
    return count, digest.hex()
