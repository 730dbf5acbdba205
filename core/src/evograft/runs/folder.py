"""The folder of a run: where a new one is made, and what lies in it."""

from __future__ import annotations

import re
import shlex
import shutil
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from evograft.config.pipeline import Pipeline
from evograft.errors import UserError
from evograft.files import is_temporary_of
from evograft.plugin.entry_points import installed_versions
from evograft.runs.attached import ATTACHED
from evograft.runs.lock_file import LOCK_FILE, Epoch, RunFolder, refuse_keys
from evograft.runs.storage import load_shared_store
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.drivers.shared_store import SHARED_FILE, SharedPlace

OUTPUT = "output.log"
"""What a run in the background says."""
LEFT_BY_A_KILL = frozenset({"log.sqlite", "log.sqlite.new", f"{LOCK_FILE}.new", "run.lock", SHARED_FILE})
"""Files of a start that ended before there was a run, of earlier versions too."""
MADE_BY_A_START = LEFT_BY_A_KILL | {
    ATTACHED,
    LOCK_FILE,
    OUTPUT,
    "log.sqlite-wal",
    "log.sqlite-shm",
    "log.head",
    "artifacts.sqlite",
    "environment.json",
}
"""Files of a run that has evaluated nothing yet."""


def make_folder(pipeline: Pipeline, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Make the folder of a new run, `<runs>/<name>-<n>` unless another one is named; `save` makes it a run."""
    refuse_keys(pipeline)
    made = _missing(runs if folder is None else folder)
    try:
        path = numbered_folder(runs, pipeline.name) if folder is None else _empty(folder)
    except OSError as err:
        raise UserError(f"cannot make the run's folder {err.filename!r}: {err.strerror}") from err
    made = made if folder is not None else (path, *made)
    return RunFolder(path, uuid.uuid4().hex[:12], (Epoch(0, pipeline, FrozenDict(installed_versions())),), made)


def _missing(path: Path) -> tuple[Path, ...]:
    """Return the folders that have to be made for one to be there, the innermost first."""
    return tuple(each for each in (path.absolute(), *path.absolute().parents) if not each.exists())


def discard_files(run: RunFolder) -> bool:
    """Remove what the start of a run has made; false if its folder holds anything else, and nothing was removed."""
    names = {entry.name for entry in run.path.iterdir()}
    if _foreign(names, MADE_BY_A_START):
        return False
    if (place := SharedPlace.find(run.path)) is not None:
        load_shared_store(place).remove(place.run)
    for name in names - {ATTACHED}:
        (run.path / name).unlink(missing_ok=True)
    discard_attached(run)
    discard_folders(run)
    return True


def make_attached(run: RunFolder) -> Path:
    """Make the empty folder of the files that a run is started with.

    Raises:
        UserError: another start has made one in the same folder a moment ago.
    """
    folder = run.path / ATTACHED
    try:
        folder.mkdir()
    except FileExistsError as err:
        raise UserError(f"--run-dir {str(run.path)!r} is not empty: name another folder") from err
    return folder


def discard_attached(run: RunFolder) -> None:
    """Remove the files that a run was to be started with."""
    shutil.rmtree(run.path / ATTACHED, ignore_errors=True)


def discard_folders(run: RunFolder) -> None:
    """Remove the folders that were made for a run and are empty."""
    with suppress(OSError):
        for folder in run.made:
            folder.rmdir()


def numbered_folder(runs: Path, name: str) -> Path:
    """Make `<runs>/<name>-<n>`, n being one more than the highest there."""
    runs.mkdir(parents=True, exist_ok=True)
    pattern = re.compile(rf"{re.escape(name)}-(\d+)")
    taken = [int(match[1]) for entry in runs.iterdir() if (match := pattern.fullmatch(entry.name))]
    number = max(taken, default=0) + 1
    while True:
        path = (runs / f"{name}-{number}").absolute()
        try:
            path.mkdir()
        except FileExistsError:  # another run took the number a moment ago
            number += 1
        else:
            return path


def _empty(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    require_unused(folder)
    return folder.absolute()


def require_unused(folder: Path, *, attached: bool = False) -> None:
    """Raise UserError if a folder holds anything but what a start that was killed has left, which is not a run yet.

    Args:
        folder: for a run.
        attached: whether the run's own files are there already.
    """
    known = LEFT_BY_A_KILL | {ATTACHED} if attached else LEFT_BY_A_KILL
    if _foreign((entry.name for entry in folder.iterdir()), known):
        resume = f", or resume the run in it: evo resume {shlex.quote(str(folder))}"
        is_run = (folder / LOCK_FILE).exists()
        raise UserError(f"--run-dir {str(folder)!r} is not empty: name another folder{resume if is_run else ''}")


def _foreign(names: Iterable[str], known: frozenset[str]) -> set[str]:
    """Return the names of files that are neither known nor left by a kill while one of them was written."""
    # The lock file is what makes it a run: a kill may have come while it was written.
    return {name for name in set(names) - known if not is_temporary_of(name, {*known, LOCK_FILE})}


def holds(folder: Path, name: str) -> bool:
    """Return whether there is such a file in a folder that a user named; a name that is too long is none."""
    try:
        return (folder / name).exists()
    except OSError:
        return False
