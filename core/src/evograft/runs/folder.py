"""The folder of a run: where it lies, what is in it, how it is found again, and who may write to it."""

from __future__ import annotations

import fcntl
import math
import os
import re
import shlex
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import yaml

from evograft.concurrency.file_lock import find_lock_holder
from evograft.config.pipeline import Pipeline, pipeline_from, read_yaml
from evograft.errors import LogDamaged, ServiceError, UserError, did_you_mean, nearest
from evograft.plugin.entry_points import installed_versions
from evograft.text.masking import Keys
from evograft.user_folders import user_folder
from evograft_hookspecs import FrozenDict

LOCK_FILE = "pipeline.lock.yaml"
OUTPUT = "output.log"
"""What a run in the background says."""
LEFT_BY_A_KILL = frozenset({"log.sqlite", "log.sqlite.new", f"{LOCK_FILE}.new", "run.lock"})
"""Files of a start that ended before there was a run."""
MADE_BY_A_START = LEFT_BY_A_KILL | {
    LOCK_FILE,
    OUTPUT,
    "log.sqlite-wal",
    "log.sqlite-shm",
    "log.head",
    "artifacts.sqlite",
    "environment.json",
}
"""Files of a run that has evaluated nothing yet."""


@dataclass(frozen=True)
class Epoch:
    """The settings that hold from a trial on."""

    first_trial: int
    pipeline: Pipeline
    versions: FrozenDict[str, str] = FrozenDict()
    """Of what was installed then."""


@dataclass(frozen=True)
class RunFolder:
    """A run on disk. Its lock file says what it is composed of; its log says what happened."""

    path: Path
    id: str
    epochs: tuple[Epoch, ...]
    made: tuple[Path, ...] = ()
    """The folders that were made for it, the innermost first; nothing is known of those of a run that was there."""

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def pipeline(self) -> Pipeline:
        """The settings of the newest epoch."""
        return self.epochs[-1].pipeline

    def save(self) -> None:
        """Writes the lock file."""
        epochs = [
            {"first_trial": each.first_trial, "versions": dict(each.versions), "pipeline": each.pipeline.to_data()}
            for each in self.epochs
        ]
        data = {"run": self.name, "id": self.id, "epochs": epochs}
        text = "# Written by evo. Change settings with: evo resume RUN --set KEY=VALUE\n" + yaml.safe_dump(
            data, sort_keys=False, allow_unicode=True
        )
        # A reader sees the old file or the new one, never half of it.
        temporary = self.path / f"{LOCK_FILE}.new"
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(self.path / LOCK_FILE)


def make_folder(pipeline: Pipeline, *, runs: Path, folder: Path | None = None) -> RunFolder:
    """Makes the folder of a new run, `<runs>/<name>-<n>` unless another one is named; `save` makes it a run."""
    refuse_keys(pipeline)
    made = _missing(runs if folder is None else folder)
    try:
        path = numbered_folder(runs, pipeline.name) if folder is None else _empty(folder)
    except OSError as err:
        raise UserError(f"cannot make the run's folder {err.filename!r}: {err.strerror}") from err
    made = made if folder is not None else (path, *made)
    return RunFolder(path, uuid.uuid4().hex[:12], (Epoch(0, pipeline, FrozenDict(installed_versions())),), made)


def _missing(path: Path) -> tuple[Path, ...]:
    """The folders that have to be made for one to be there, the innermost first."""
    return tuple(each for each in (path.absolute(), *path.absolute().parents) if not each.exists())


def discard_files(run: RunFolder) -> bool:
    """Removes what the start of a run has made; false if its folder holds anything else, and nothing was removed."""
    if {entry.name for entry in run.path.iterdir()} - MADE_BY_A_START:
        return False
    for name in MADE_BY_A_START:
        (run.path / name).unlink(missing_ok=True)
    discard_folders(run)
    return True


def discard_folders(run: RunFolder) -> None:
    """Removes the folders that were made for a run and are empty."""
    with suppress(OSError):
        for folder in run.made:
            folder.rmdir()


def refuse_keys(pipeline: Pipeline) -> None:
    """Settings are written down, so a key in them is a UserError."""
    settings = pipeline.to_data()
    variable = Keys.of(settings).found_in(yaml.safe_dump(settings, allow_unicode=True, width=math.inf))
    if variable is not None:
        raise UserError(f"the settings hold the key that stands in the environment as {variable}: leave it out of them")


def numbered_folder(runs: Path, name: str) -> Path:
    """Makes `<runs>/<name>-<n>`, n being one more than the highest there."""
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


def require_unused(folder: Path) -> None:
    """What a start that was killed has left is no run yet, so it may be begun anew; anything else is a UserError."""
    if {entry.name for entry in folder.iterdir()} - LEFT_BY_A_KILL:
        resume = f", or resume the run in it: evo resume {shlex.quote(str(folder))}"
        is_run = (folder / LOCK_FILE).exists()
        raise UserError(f"--run-dir {str(folder)!r} is not empty: name another folder{resume if is_run else ''}")


def open_run(path: Path) -> RunFolder:
    """Reads a run's lock file, and keeps the run in mind, so that it is found by its name.

    Raises:
        LogDamaged: it cannot be read; the log beside it may still be.
    """
    run = read_lock_file(path)
    remember(path)
    return run


def read_lock_file(path: Path) -> RunFolder:
    """What the folder of a run, or of a conversation, is composed of.

    Raises:
        LogDamaged: it cannot be read; the log beside it may still be.
    """
    try:
        data = read_yaml(path / LOCK_FILE)
        epochs = tuple(_epoch(each, source=str(path / LOCK_FILE)) for each in data["epochs"])
        run = RunFolder(path, str(data["id"]), epochs)
    except (UserError, KeyError, TypeError, ValueError) as err:
        raise LogDamaged(f"{path / LOCK_FILE} is damaged ({err}); save the log with: evo export {path}") from err
    if not epochs:
        raise LogDamaged(f"{path / LOCK_FILE} is damaged (no epochs); save the log with: evo export {path}")
    return run


def _epoch(data: dict[str, Any], *, source: str) -> Epoch:
    pipeline = pipeline_from(data["pipeline"], source=source)
    return Epoch(int(data["first_trial"]), pipeline, FrozenDict(data["versions"]))


def find_run(word: str, *, runs: Path, guessing: bool = True, live_first: bool = False) -> Path:
    """The folder of a run by path, name, id, or `latest`.

    What lies in the usual place comes before what the index knows elsewhere.

    Args:
        word: names the run.
        runs: the usual place.
        guessing: whether `latest` may lie elsewhere, and one of several of the name be meant: for who only reads.
        live_first: whether `latest` is the one that is being worked on, where there is one.

    Raises:
        UserError: there is no such run, or it is not certain which is meant.
    """
    if holds(Path(word), LOCK_FILE):
        return Path(word).absolute()
    known = list(known_runs(runs))
    here = [path for path in known if path.parent == runs.absolute()]
    if word == "latest":
        return _latest(here or (known if guessing else []), runs, live_first=live_first)
    named = [path for path in known if path.name == word or _id_of(path) == word]
    if not named:
        raise UserError(f"no run {word!r}; {_nearest_runs(word, known)}")
    if len(named) > 1 and named[0] not in here and not guessing:
        raise UserError(f"{len(named)} runs are called {word!r}: name one by its path, such as {named[0]}")
    return named[0]


def _latest(paths: Sequence[Path], runs: Path, *, live_first: bool) -> Path:
    if not paths:
        place = runs if runs.is_absolute() else f"./{runs}"
        raise UserError(f"no runs in {place}: start one with evo run, or name one elsewhere by its path")
    live = [path for path in paths if writer_of(path) is not None] if live_first else []
    return max(live or paths, key=last_written)


def _nearest_runs(word: str, known: Sequence[Path]) -> str:
    """A clause about the names that are near, since a user may have hundreds of runs."""
    near = nearest(word, {path.name for path in known})
    return did_you_mean(word, near) if near else "see what there is with: evo status --all"


def reference(path: Path, *, runs: Path) -> str:
    """How a command names just this run, ready for a shell: its name may mean another one."""
    name = path.name
    is_meant = path == runs.absolute() / name and name != "latest" and not holds(Path(name), LOCK_FILE)
    return shlex.quote(name if is_meant else str(path))


def holds(folder: Path, name: str) -> bool:
    """Return whether there is such a file in a folder that a user named; a name that is too long is none."""
    try:
        return (folder / name).exists()
    except OSError:
        return False


def last_written(path: Path) -> float:
    """Unix time at which the lock file or the log of a run was last written."""
    return max((path / name).stat().st_mtime for name in (LOCK_FILE, "log.head") if (path / name).exists())


def _id_of(path: Path) -> str | None:
    match = re.search(r"^id: (\w+)$", (path / LOCK_FILE).read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    return match[1] if match else None


def known_runs(runs: Path) -> Iterator[Path]:
    """The runs in the usual place, then those that the index knows elsewhere."""
    seen = set()
    here = sorted(runs.iterdir()) if runs.is_dir() else []
    for path in (*(entry.absolute() for entry in here), *_remembered()):
        if path not in seen and holds(path, LOCK_FILE):
            seen.add(path)
            yield path


def remember(path: Path) -> None:
    """Notes a run in the index of the user's state folder; whoever opens a run does, so a lost index fills again."""
    try:
        if path not in _remembered():
            index = _index()
            index.parent.mkdir(parents=True, exist_ok=True)
            with index.open("a", encoding="utf-8") as file:
                file.write(f"{path}\n")
    except OSError:
        return  # a home that cannot be written to: the run is then found by its path


def _remembered() -> list[Path]:
    try:
        return [Path(line) for line in _index().read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return []


def _index() -> Path:
    return user_folder("state") / "runs.txt"


class WriterLock:
    """One writer a run. The lock dies with its process, and children do not inherit it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "run.lock"
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as err:
            raise ServiceError(f"cannot write to the run's folder {str(folder)!r}: {err.strerror}") from err

    def __enter__(self) -> Self:
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as err:
            holder = os.pread(self._descriptor, 32, 0).decode(errors="replace").partition("\n")[0]
            os.close(self._descriptor)
            raise UserError(
                f"run {self._path.parent.name!r} is being written by process {holder}: stop that one first"
            ) from err
        self.note("")
        return self

    def note(self, text: str) -> None:
        """Leaves a line beside the number of this process, for readers."""
        content = f"{os.getpid()}\n{text}\n".encode()
        os.pwrite(self._descriptor, content, 0)
        os.ftruncate(self._descriptor, len(content))

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def writer_of(folder: Path) -> int | None:
    """The process that writes to a run at this moment, if there is one."""
    try:
        with (folder / "run.lock").open("rb") as file:
            return find_lock_holder(file)
    except OSError:
        return None


def note_of(folder: Path) -> str:
    """What the process that works on a run has noted last; empty: nothing."""
    try:
        return (folder / "run.lock").read_text(encoding="utf-8").partition("\n")[2]
    except (OSError, UnicodeDecodeError):
        return ""
