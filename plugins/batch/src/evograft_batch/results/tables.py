"""The results of a batch for people: rich tables on a terminal, aligned text elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click

from evograft_batch.folder import BatchFolder
from evograft_batch.jobs.progress import score_text, trials_text
from evograft_batch.plan.naming import labels_of
from evograft_batch.results.run_results import UNKNOWN, Row, Summary, setting_text, summaries, varied


@dataclass(frozen=True)
class Column:
    """A column of a table, one cell a row."""

    title: str
    cells: list[str]


def print_results(folder: BatchFolder, rows: Sequence[Row]) -> None:
    """Prints a row a run, and a row a combination where there are several seeds."""
    _print(_results(rows))
    for row in rows:
        if row.error:
            click.echo(f"{row.run}: {row.error}")
    over_seeds = summaries(rows)
    if over_seeds:
        click.echo()
        _print(_over_seeds(over_seeds))
    click.echo(f"batch = {folder.path}")


def _results(rows: Sequence[Row]) -> list[Column]:
    return [
        *_varied(rows),
        Column("seed", [str(row.seed) for row in rows]),
        Column("state", [row.state for row in rows]),
        Column("trials", [trials_text(row) for row in rows]),
        Column("best", [score_text(row.best_score) for row in rows]),
        *_if_any(Column("final", [score_text(row.final_score) for row in rows])),
        Column("elapsed", [f"{row.elapsed:g} s" for row in rows]),
        *_if_any(Column("tokens", [str(row.prompt_tokens + row.completion_tokens or "") for row in rows])),
        *_if_any(Column("dollars", [_dollars(row) for row in rows])),
        Column("exit", ["" if row.exit_code is None else str(row.exit_code) for row in rows]),
    ]


def _over_seeds(rows: Sequence[Summary]) -> list[Column]:
    return [
        *_varied(rows),
        Column("runs", [str(row.runs) if row.scored == row.runs else f"{row.scored} of {row.runs}" for row in rows]),
        Column("mean best", [score_text(row.mean) for row in rows]),
        Column("min", [score_text(row.min) for row in rows]),
        Column("max", [score_text(row.max) for row in rows]),
    ]


def _varied(rows: Sequence[Row] | Sequence[Summary]) -> list[Column]:
    """What sets runs apart."""
    keys = varied(rows)
    labels = labels_of(keys)
    settings = [Column(labels[key], [setting_text(row, key) for row in rows]) for key in keys]
    return [*_if_any(Column("problem", [row.problem for row in rows])), *settings]


def _if_any(column: Column) -> list[Column]:
    return [column] if any(column.cells) else []


def _dollars(row: Row) -> str:
    if row.dollars is None:
        return UNKNOWN
    return f"{row.dollars:.4f}" if row.dollars else ""


def _print(columns: list[Column]) -> None:
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for column in columns:
            table.add_column(column.title)
        for cells in zip(*(column.cells for column in columns), strict=True):
            table.add_row(*(Text(cell) for cell in cells))
        Console().print(table)
        return
    padded = [_padded([column.title, *column.cells]) for column in columns]
    for cells in zip(*padded, strict=True):
        click.echo("  ".join(cells).rstrip())


def _padded(cells: list[str]) -> list[str]:
    width = max(map(len, cells))
    return [cell.ljust(width) for cell in cells]
