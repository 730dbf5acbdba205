"""The results of a batch for people: rich tables on a terminal, aligned text elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click

from evograft_batch.folder import BatchFolder
from evograft_batch.jobs.progress import score_text, trials_text
from evograft_batch.plan.naming import label_combinations
from evograft_batch.results.run_results import UNKNOWN, RunRow, SeedSummary, find_varied, format_setting, summarise


@dataclass(frozen=True)
class ResultColumn:
    """A column of a table, one cell a row."""

    title: str
    cells: list[str]


def print_results(folder: BatchFolder, rows: Sequence[RunRow]) -> None:
    """Print a row for each run, and a row for each combination if there are several seeds."""
    _print(_results(rows))
    for row in rows:
        if row.error:
            click.echo(f"{row.run}: {row.error}")
    over_seeds = summarise(rows)
    if over_seeds:
        click.echo()
        _print(_over_seeds(over_seeds))
    click.echo(f"batch = {folder.path}")


def _results(rows: Sequence[RunRow]) -> list[ResultColumn]:
    return [
        *_varied(rows),
        ResultColumn("seed", [str(row.seed) for row in rows]),
        ResultColumn("state", [row.state for row in rows]),
        ResultColumn("trials", [trials_text(row) for row in rows]),
        ResultColumn("best", [score_text(row.best_score) for row in rows]),
        *_if_any(ResultColumn("final", [score_text(row.final_score) for row in rows])),
        ResultColumn("elapsed", [f"{row.elapsed:g} s" for row in rows]),
        *_if_any(ResultColumn("tokens", [str(row.prompt_tokens + row.completion_tokens or "") for row in rows])),
        *_if_any(ResultColumn("dollars", [_dollars(row) for row in rows])),
        ResultColumn("exit", ["" if row.exit_code is None else str(row.exit_code) for row in rows]),
    ]


def _over_seeds(rows: Sequence[SeedSummary]) -> list[ResultColumn]:
    return [
        *_varied(rows),
        ResultColumn(
            "runs", [str(row.runs) if row.scored == row.runs else f"{row.scored} of {row.runs}" for row in rows]
        ),
        ResultColumn("mean best", [score_text(row.mean) for row in rows]),
        ResultColumn("min", [score_text(row.min) for row in rows]),
        ResultColumn("max", [score_text(row.max) for row in rows]),
    ]


def _varied(rows: Sequence[RunRow] | Sequence[SeedSummary]) -> list[ResultColumn]:
    """Return the columns of what sets runs apart."""
    keys = find_varied(rows)
    labels = label_combinations(keys)
    settings = [ResultColumn(labels[key], [format_setting(row, key) for row in rows]) for key in keys]
    return [*_if_any(ResultColumn("problem", [row.problem for row in rows])), *settings]


def _if_any(column: ResultColumn) -> list[ResultColumn]:
    return [column] if any(column.cells) else []


def _dollars(row: RunRow) -> str:
    if row.dollars is None:
        return UNKNOWN
    return f"{row.dollars:.4f}" if row.dollars else ""


def _print(columns: list[ResultColumn]) -> None:
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
    padded = [_pad([column.title, *column.cells]) for column in columns]
    for cells in zip(*padded, strict=True):
        click.echo("  ".join(cells).rstrip())


def _pad(cells: list[str]) -> list[str]:
    width = max(map(len, cells))
    return [cell.ljust(width) for cell in cells]
