"""All known runs, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import click

from evograft.cli.amounts import age
from evograft.cli_kit.printing import print_json
from evograft.errors import EvograftError, UserError
from evograft.log.history import is_complete, trial_limit
from evograft.runs.index import known_runs
from evograft.runs.lock_file import read_lock_file
from evograft.runs.shared_runs import address_of, find_shared_runs, is_address
from evograft.runs.status import read_status, state_of
from evograft.runs.storage import last_written, writer_of
from evograft.runs.summary import summarize
from evograft.text.escapes import sanitize

WIDEST = 28
"""Characters of a cell: a long name or failure leaves the other columns where they are."""
MARK = "*"
"""Behind the name of a run that lies outside of the folder of runs."""
HEAD = ("RUN", "STATE", "TRIALS", "BEST", "CHANGED", "ID", "FOLDER")
TO_THE_RIGHT = ("TRIALS",)


@dataclass(frozen=True)
class OverviewRow:
    """A run in the list."""

    folder: Path
    place: str
    """Its folder as it can be typed here, or its address."""
    id: str
    state: str
    trials: str
    best: str
    written_at: float
    outside: bool

    def cells(self) -> tuple[str, ...]:
        return (
            sanitize(self.folder.name, WIDEST) + (MARK if self.outside else ""),
            sanitize(" ".join(self.state.split()), WIDEST),
            self.trials,
            self.best,
            age(self.written_at),
            self.id,
            sanitize(self.place),
        )


def print_all(runs: Path, pattern: str | None, *, as_json: bool) -> None:
    """Print a line for every known run, the one that changed last at the end.

    Args:
        runs: the folder of runs.
        pattern: of the names that are listed, with `*` and `?`, or the address of a shared store; `None`: all.
        as_json: prints all that is known of each, as one JSON list.

    Raises:
        UserError: no run has such a name.
    """
    found = _find_runs(runs, pattern)
    if pattern is not None and not found:
        raise UserError(f"no run is called {pattern!r}; see them all with: evo status --all")
    if as_json:
        print_json([standing for path in found for standing in _whole(path)])
        return
    _print_table([row for path in found for row in _rows(path, runs)], runs)


def _find_runs(runs: Path, pattern: str | None) -> list[Path]:
    known = known_runs(runs)
    if pattern is not None and is_address(pattern):
        return list(find_shared_runs(pattern, known=known))
    return [path for path in known if pattern is None or fnmatchcase(path.name, pattern)]


def _print_table(rows: list[OverviewRow], runs: Path) -> None:
    rows = sorted(rows, key=lambda row: row.written_at)
    for line in _table([HEAD, *(row.cells() for row in rows)]):
        click.echo(line)
    if any(row.outside for row in rows):
        click.echo(f"{MARK} not in {runs}: name it by its id or its folder", err=True)


def _whole(path: Path) -> Iterator[dict[str, object]]:
    try:
        yield read_status(path).to_data()
    except EvograftError as err:
        _complain(path, err)


def _rows(path: Path, runs: Path) -> Iterator[OverviewRow]:
    try:
        writer = writer_of(path)  # before the log is read: a run that ends meanwhile has not stopped without a reason
        # Not `open_run`: a look at all runs changes nothing in the index of runs.
        run, summary = read_lock_file(path), summarize(path)
    except EvograftError as err:
        _complain(path, err)
        return
    address = address_of(path)
    limit, stop = trial_limit(run.pipeline, summary.seeds, follows=summary.follows), summary.stop
    done = is_complete(summary.trials, limit=limit, stop=stop)
    yield OverviewRow(
        folder=path,
        place=address or str(_short_path(path)),
        id=run.id,
        state=state_of(writer, is_complete=done, stop=stop.text if stop else ""),
        trials=str(summary.trials) if limit is None else f"{summary.trials}/{limit}",
        best="none" if summary.best_score is None else f"{summary.best_score:.6g}",
        written_at=last_written(path),
        outside=address is None and path.parent != runs.absolute(),
    )


def _complain(path: Path, err: EvograftError) -> None:
    click.echo(f"{_short_path(path)}: {err}", err=True)


def _short_path(path: Path) -> Path:
    """Return the path as it can be typed here: relative where it lies below the current folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the rows as lines with aligned columns; the last one is as wide as it is."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [name in TO_THE_RIGHT for name in rows[0]]
    for row in rows:
        cells = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        )
        yield "  ".join(cells).rstrip()
