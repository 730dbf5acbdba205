"""`evo ahc batch`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft_ahc.commands.bilingual import command, option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TABLE = "sessions.csv"


@command(
    ja="ファイルに書かれた設定のすべての組み合わせを、すべての問題とシードで実行します。"
    "\n\n同じコマンドをもう一度実行すると、残りを続けます。"
)
@click.argument("file", metavar="BATCH_CONFIG_FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@option(
    "--parallel",
    type=click.IntRange(min=1),
    en="Work on so many sessions at a time, whatever the file says.",
    ja="同時に実行するセッションの数。ファイルの指定より優先します。",
)
@option(
    "--folder",
    type=click.Path(path_type=Path),
    en="Of the batch; else named like the file, beside it.",
    ja="バッチのフォルダー。なければファイルの隣に同じ名前で作ります。",
)
@option("--json", "as_json", is_flag=True, en="Print the table as JSON.", ja="表を JSON で出力します。")
def batch(file: Path, parallel: int | None, folder: Path | None, *, as_json: bool) -> int:
    """Run every combination of settings on every problem, with every seed, that the file lists.

    The same command again goes on with what is not complete.
    """
    from evograft_ahc.sessions.batch.file import plan_sessions, read_batch
    from evograft_ahc.sessions.batch.plan import build_batch, build_table
    from evograft_batch.api import start_or_resume

    given = read_batch(file)
    place = (folder or file.with_suffix("")).absolute()
    planned = plan_sessions(given, file)
    data = build_batch(given, planned, name="batch")
    code = start_or_resume(data, place, source=str(file), parallel=parallel or given.parallel)
    _tell(build_table(place, planned), place, as_json=as_json)
    return code


def _tell(rows: Sequence[Mapping[str, Any]], place: Path, *, as_json: bool) -> None:
    from evograft.api import write_atomically
    from evograft_ahc.commands.language import find_language, make_printer
    from evograft_ahc.sessions.batch.plan import format_csv

    write_atomically(place / TABLE, format_csv(rows).encode())
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    columns = {name: [_cell(row[name]) for row in rows] for name in rows[0]}
    widths = {name: max(len(name), *map(len, cells)) for name, cells in columns.items()}
    click.echo("  ".join(name.ljust(width) for name, width in widths.items()).rstrip())
    for cells in zip(*columns.values(), strict=True):
        click.echo("  ".join(map(str.ljust, cells, widths.values())).rstrip())
    make_printer(find_language())(f"table = {place / TABLE}", ja=f"表 = {place / TABLE}")


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    return "" if value is None else str(value)
