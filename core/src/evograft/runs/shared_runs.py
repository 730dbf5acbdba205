"""Runs in shared stores, by their addresses: `postgresql://HOST/DATABASE#RUN` names one on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from evograft.config.pipeline import DriverSection
from evograft.errors import LogDamaged, UserError, did_you_mean
from evograft.files import write_atomically
from evograft.plugin.loading import load_driver
from evograft.runs.lock_file import LOCK_FILE
from evograft.runs.storage import load_shared_store, write_place
from evograft.user_folders import ensure_state_folder
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.drivers.shared_store import SharedPlace, SharedRun, SharedStore

DRIVERS = {"postgres": "postgres", "postgresql": "postgres"}
"""The store that is meant by the scheme of an address; another scheme is a store's own name."""
MIRRORS = "shared"
"""The user's folders, one a run, that stand for runs of other machines."""


def is_address(word: str) -> bool:
    """Return whether a word names a shared store, or a run in one, rather than a folder or a name."""
    return "://" in word


def split_address(word: str) -> tuple[DriverSection, str]:
    """Return the settings of the store that an address names, and the run behind its `#`; empty: it names none."""
    url, _, name = word.partition("#")
    scheme = url.partition("://")[0]
    return DriverSection(driver=DRIVERS.get(scheme, scheme), url=url), name


def open_shared_store(section: DriverSection) -> SharedStore:
    """Return the store of an address.

    Raises:
        UserError: there is none of this kind, or it is not a shared one.
    """
    store = load_driver("store", section)
    if not isinstance(store, SharedStore):
        raise UserError(f"store driver {section.driver!r} keeps logs on one machine: name the run by its folder")
    return store


def find_shared_run(word: str, *, known: Iterable[Path]) -> Path:
    """Return the folder that stands for a run on this machine: its own where it is, else one that is made.

    Args:
        word: the address of the run; it ends with its name or id, or with `latest`.
        known: folders of runs on this machine.

    Raises:
        UserError: it is not certain which run is meant, or there is none.
    """
    section, name = split_address(word)
    store = open_shared_store(section)
    if not name:
        raise UserError(f"{store.address} is a database, not a run: write {store.address}#RUN; {_nearest('', store)}")
    run = _chosen(store, name)
    here = ((path, place) for path in known if (place := SharedPlace.find(path)) and place.run == run.id)
    for path, place in here:
        # The store may have moved since.
        write_place(path, place.model_copy(update={"options": FrozenDict({**place.options, **section.options})}))
        return path
    settings = _read_settings(store, run)
    if settings is None:
        raise LogDamaged(
            f"{store.address}#{run.id} has no settings: its copy, or its start, was cut off; repeat that command"
        )
    return _mirror(section, run, settings)


def find_shared_runs(word: str, *, known: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders that stand for all runs of the store that an address names."""
    section, _ = split_address(word)
    store = open_shared_store(section)
    here = {place.run: path for path in known if (place := SharedPlace.find(path))}
    for run in store.runs():
        if run.id in here:
            yield here[run.id]
        elif settings := _read_settings(store, run):
            yield _mirror(section, run, settings)


def address_of(folder: Path) -> str | None:
    """Return the address of the run that a folder stands for, if it was made for a run of another machine."""
    place = SharedPlace.find(folder)
    if place is None or folder.parent.parent.name != MIRRORS:
        return None
    return f"{load_shared_store(place).address}#{place.run}"


def _chosen(store: SharedStore, name: str) -> SharedRun:
    runs = [run for run in store.runs() if name in ("latest", run.id, run.name)]
    if not runs:
        raise UserError(f"no run {name!r} in {store.address}; {_nearest(name, store)}")
    if len(runs) > 1 and name != "latest":
        ids = " or ".join(f"#{run.id}" for run in runs)
        raise UserError(f"{len(runs)} runs in {store.address} are called {name!r}: name one by its id, {ids}")
    return runs[-1]


def _nearest(name: str, store: SharedStore) -> str:
    names: Sequence[str] = sorted({run.name for run in store.runs()})
    return did_you_mean(name, names)


def _read_settings(store: SharedStore, run: SharedRun) -> bytes | None:
    with closing(store.storage(run.id)) as storage:
        return storage.read_document(LOCK_FILE)


def mirror_folder(run: str, name: str) -> Path:
    """Return the folder that stands for a run of another machine, made if it is missing.

    Raises:
        LogDamaged: no folder can have this name.
    """
    if any(Path(word).name != word or word in (".", "..") for word in (run, name)):
        raise LogDamaged(f"a shared store names a run {name!r}, which no folder can be called")
    return ensure_state_folder(MIRRORS, run, name)


def _mirror(section: DriverSection, run: SharedRun, settings: bytes) -> Path:
    """Make the folder that stands for a run of another machine; who works on the run here uses it as the run's own."""
    folder = mirror_folder(run.id, run.name)
    write_place(folder, SharedPlace(driver=section.driver, options=FrozenDict(section.options), run=run.id))
    write_atomically(folder / LOCK_FILE, settings)
    return folder
