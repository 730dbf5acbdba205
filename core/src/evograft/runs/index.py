"""How a run is found again: by path, name or id, in the usual place or where the user's index knows it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from evograft.errors import UserError, did_you_mean, nearest
from evograft.runs.folder import holds
from evograft.runs.lock_file import LOCK_FILE, RunFolder, read_lock_file
from evograft.runs.shared_runs import address_of, find_shared_run, is_address
from evograft.runs.storage import last_written, writer_of
from evograft.user_folders import user_folder


def open_run(path: Path) -> RunFolder:
    """Read a run's lock file, and remember the run, so that it is found by its name.

    Raises:
        LogDamaged: it cannot be read; the log beside it may still be.
    """
    run = read_lock_file(path)
    remember(path)
    return run


def find_run(word: str, *, runs: Path, guessing: bool = True, live_first: bool = False) -> Path:
    """Find the folder of a run by path, name, id, `latest`, or its address in a shared store.

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
    if is_address(word):
        return find_shared_run(word, known=known)
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
    """Return a clause about the names that are near: a user may have hundreds of runs."""
    near = nearest(word, {path.name for path in known})
    return did_you_mean(word, near) if near else "see what there is with: evo status --all"


def reference(path: Path, *, runs: Path) -> str:
    """Return how a command names just this run, ready for a shell: its name may mean another one."""
    if (address := address_of(path)) is not None:
        return shlex.quote(address)
    name = path.name
    is_meant = path == runs.absolute() / name and name != "latest" and not holds(Path(name), LOCK_FILE)
    return shlex.quote(name if is_meant else str(path))


def _id_of(path: Path) -> str | None:
    match = re.search(r"^id: (\w+)$", (path / LOCK_FILE).read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    return match[1] if match else None


def known_runs(runs: Path) -> Iterator[Path]:
    """Yield the runs in the usual place, then those that the index knows elsewhere."""
    seen = set()
    here = sorted(runs.iterdir()) if runs.is_dir() else []
    for path in (*(entry.absolute() for entry in here), *_remembered()):
        if path not in seen and holds(path, LOCK_FILE):
            seen.add(path)
            yield path


def remember(path: Path) -> None:
    """Note a run in the index of the user's state folder; whoever opens a run does, so a lost index fills again.

    A run of another machine is named by its address.
    """
    if address_of(path) is not None:
        return
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
