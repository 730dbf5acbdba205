"""`evo export`."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import starmap
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from evograft.errors import LogDamaged, ServiceError, UserError
from evograft.runs.chosen_run import find_read_run
from evograft.text.escapes import escape_controls, escaped

if TYPE_CHECKING:
    from evograft.log.records import Finished, Record
    from evograft.log.spending import Spending

METRIC = "metric."
"""What the column of a metric begins with."""

COLUMNS = (
    "number",
    "view",
    "status",
    "score",
    "reason",
    "operator",
    "model",
    "parents",
    "island",
    "duplicate_of",
    "candidate",
    "source",
    "seconds",
    "cost",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "dollars",
    "elapsed",
    "at",
)


@click.command()
@click.argument("run", default="latest")
@click.option("--format", "form", type=click.Choice(["jsonl", "csv", "parquet"]), default="jsonl", show_default=True)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="The file to write; standard output otherwise.")
def export(run: str, form: str, output: Path | None) -> int:
    """Write the trials of RUN, in the order they were finished.

    A damaged log is read as far as it can be: what is lost is said, and the exit code is 4.
    """
    from evograft.runs.folder import holds
    from evograft.runs.reader import salvaging

    # A folder with a log will do: the lock file may be what is lost.
    here = holds(Path(run), "log.sqlite")
    folder = Path(run).absolute() if here else find_read_run(run)
    damage: list[LogDamaged] = []
    with salvaging(folder, damage) as records:
        if form == "parquet":
            _write_parquet(list(starmap(flat_row, with_spending(records))), output)
        else:
            with _opened(output) as file:
                _write_text(form, with_spending(records), file)
    for err in damage:
        click.echo(f"Error: {err}", err=True)
    return ServiceError.exit_code if damage else 0


def with_spending(records: Iterable[Record]) -> Iterator[tuple[Finished, Spending]]:
    """Yield each finished trial with what the calls for its candidate have cost: they were logged before it.

    Trials are told as they were logged, so that the order of commits, which a lost lock file would have said, and which
    a lost row would end, is not needed.
    """
    from evograft.log.attribution import is_for_candidate
    from evograft.log.history import operator_of
    from evograft.log.records import BillableCall, Finished
    from evograft.log.spending import RunSpending, Spending

    spending = RunSpending()
    for place, record in enumerate(records):
        if isinstance(record, BillableCall):
            spending.add(place, record)
        elif isinstance(record, Finished):
            calls = spending.commit(record.trial.number, operator_of(record.trial), evaluation=record.cost)
            yield record, Spending.of(each.call for each in calls if is_for_candidate(each.call))


def _write_text(form: str, finished: Iterable[tuple[Finished, Spending]], file: IO[str]) -> None:
    if form == "csv":
        # Which metrics there are is known after the last trial only.
        rows = list(starmap(flat_row, finished))
        writer = csv.DictWriter(file, columns_of(rows))
        writer.writeheader()
        # A program that reads them gets every character; what a terminal shows must not steer it.
        writer.writerows(map(_visible_row, rows) if file.isatty() else rows)
        return
    for each, spent in finished:
        trial = json.loads(each.trial.model_dump_json())
        line = {**trial, **_measured(each, spent), "durations": dict(each.durations)}
        file.write(escaped(json.dumps(line, ensure_ascii=False)) + "\n")


def _visible_row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: escape_controls(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


def _measured(finished: Finished, spent: Spending) -> dict[str, Any]:
    """Return what differs from machine to machine, and what was spent; dollars are null where a price is unknown."""
    return {
        "seconds": finished.seconds,
        "cost": finished.cost,
        "calls": spent.calls,
        "prompt_tokens": spent.prompt_tokens,
        "completion_tokens": spent.completion_tokens,
        "dollars": spent.known_dollars,
        "elapsed": finished.elapsed,
        "at": finished.at,
    }


def columns_of(rows: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """Return the columns of a table: those of every run, then a column for each metric, in alphabetical order."""
    return (*COLUMNS, *sorted({name for row in rows for name in row} - set(COLUMNS)))


def _write_parquet(rows: list[dict[str, Any]], output: Path | None) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as err:
        raise UserError("Parquet needs pyarrow: install evograft with its extra [parquet]") from err
    if output is None:
        raise UserError("Parquet goes to a file: add --output FILE")
    try:
        pq.write_table(pa.Table.from_pylist(rows, schema=_schema(pa, columns_of(rows))), output)
    except OSError as err:
        raise UserError(f"cannot write {str(output)!r}: {err}") from err


def _schema(pa: Any, columns: tuple[str, ...]) -> Any:
    whole = ("number", "view", "island", "duplicate_of", "calls", "prompt_tokens", "completion_tokens")
    floats = dict.fromkeys(("score", "seconds", "cost", "dollars", "elapsed", "at"), pa.float64())
    metrics = {name: pa.float64() for name in columns if name.startswith(METRIC)}
    types = {**dict.fromkeys(whole, pa.int64()), **floats, **metrics}
    return pa.schema([(name, types.get(name, pa.string())) for name in columns])


def flat_row(finished: Finished, spent: Spending) -> dict[str, Any]:
    """Return a trial as a row of a table."""
    trial = finished.trial
    candidate, evaluation, selection = trial.candidate, trial.evaluation, trial.selection
    return {
        "number": trial.number,
        "view": trial.view,
        "status": evaluation.status,
        "score": evaluation.score,
        "reason": evaluation.reason,
        "operator": candidate.operator if candidate else (trial.proposal.operator if trial.proposal else ""),
        "model": trial.model,
        "parents": " ".join(map(str, candidate.parents)) if candidate else "",
        "island": selection.island if selection else None,
        "duplicate_of": trial.duplicate_of,
        "candidate": candidate.id if candidate else "",
        "source": "\n".join(candidate.files.values()) if candidate else "",
        **_measured(finished, spent),
        **{f"{METRIC}{name}": value for name, value in evaluation.metrics.items()},
    }


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[str]]:
    if output is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # What a program reads is UTF-8, whatever a terminal here would show.
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            yield file
    except BrokenPipeError:
        raise  # a reader that has seen enough, as on standard output
    except OSError as err:
        raise UserError(f"cannot write {str(output)!r}: {err.strerror}") from err
