"""`evo export`."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from evograft.errors import LogDamaged, ServiceError, UserError
from evograft.journal import Finished
from evograft.reading import salvaging
from evograft.rundir import find_run
from evograft.settings import load_settings

COLUMNS = (
    "number",
    "view",
    "status",
    "score",
    "reason",
    "operator",
    "parents",
    "island",
    "duplicate_of",
    "candidate",
    "source",
    "seconds",
    "cost",
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
    # A folder with a log will do: the lock file may be what is lost.
    here = (Path(run) / "log.sqlite").exists()
    folder = Path(run).absolute() if here else find_run(run, runs=Path(load_settings().runs_dir))
    damage: list[LogDamaged] = []
    with salvaging(folder, damage) as finished:
        if form == "parquet":
            _write_parquet(map(_flat, finished), output)
        else:
            with _opened(output) as file:
                _write_text(form, finished, file)
    for err in damage:
        click.echo(f"Error: {err}", err=True)
    return ServiceError.exit_code if damage else 0


def _write_text(form: str, finished: Iterable[Finished], file: IO[str]) -> None:
    if form == "csv":
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(map(_flat, finished))
        return
    for each in finished:
        aside = {"seconds": each.seconds, "cost": each.cost, "elapsed": each.elapsed, "at": each.at}
        file.write(json.dumps({**json.loads(each.trial.model_dump_json()), **aside}, ensure_ascii=False) + "\n")


def _write_parquet(rows: Iterable[dict[str, Any]], output: Path | None) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as err:
        raise UserError("Parquet needs pyarrow: install evograft with its extra [parquet]") from err
    if output is None:
        raise UserError("Parquet goes to a file: add --output FILE")
    try:
        pq.write_table(pa.Table.from_pylist(list(rows), schema=_schema(pa)), output)
    except OSError as err:
        raise UserError(f"cannot write {str(output)!r}: {err}") from err


def _schema(pa: Any) -> Any:
    numbers = {"number": pa.int64(), "view": pa.int64(), "island": pa.int64(), "duplicate_of": pa.int64()}
    floats = dict.fromkeys(("score", "seconds", "cost", "elapsed", "at"), pa.float64())
    return pa.schema([(name, {**numbers, **floats}.get(name, pa.string())) for name in COLUMNS])


def _flat(finished: Finished) -> dict[str, Any]:
    trial = finished.trial
    candidate, evaluation, selection = trial.candidate, trial.evaluation, trial.selection
    return {
        "number": trial.number,
        "view": trial.view,
        "status": evaluation.status,
        "score": evaluation.score,
        "reason": evaluation.reason,
        "operator": candidate.operator if candidate else (trial.proposal.operator if trial.proposal else ""),
        "parents": " ".join(map(str, candidate.parents)) if candidate else "",
        "island": selection.island if selection else None,
        "duplicate_of": trial.duplicate_of,
        "candidate": candidate.id if candidate else "",
        "source": "\n".join(candidate.files.values()) if candidate else "",
        "seconds": finished.seconds,
        "cost": finished.cost,
        "elapsed": finished.elapsed,
        "at": finished.at,
    }


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[str]]:
    if output is None:
        yield sys.stdout
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as err:
        raise UserError(f"cannot write {str(output)!r}: {err.strerror}") from err
