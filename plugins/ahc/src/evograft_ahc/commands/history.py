"""`evo ahc history`."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_ahc.commands.bilingual import AS_JSON, command, option
from evograft_ahc.commands.columns import print_columns

if TYPE_CHECKING:
    from evograft_ahc.scores.run import ScoredRun

HEADS = {
    "en": ("time", "program", "cases", "failed", "mean", "slowest", "commit", "tag", "comment"),
    "ja": ("日時", "プログラム", "ケース", "失敗", "平均", "最長", "コミット", "タグ", "コメント"),
}


@command(ja="テストと取り込んだ実行を、日時、コメント、git のコミットとともに新しい順に一覧します。")
@option(
    "--most", type=click.IntRange(min=1), default=20, show_default=True, en="So many at most.", ja="表示する最大の数。"
)
@AS_JSON
def history(*, most: int, as_json: bool) -> None:
    """List tests and imported runs, the newest first, each with its time, comment and git commit."""
    from evograft_ahc.scores.record import open_score_record
    from evograft_ahc.scores.table import BY_HAND
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    with open_score_record(workspace) as record:
        runs = [run for run in reversed(record.runs()) if run.source in BY_HAND]
    if as_json:
        click.echo(json.dumps([_as_data(run) for run in runs], ensure_ascii=False))
        return
    language = load_settings(workspace).values.language
    print_columns(HEADS[language], map(_row, runs[:most]), left=(0, 1, 6, 7, 8))


def _row(run: ScoredRun) -> tuple[str, ...]:
    mean = "-" if run.mean is None else f"{run.mean:,.6g}"
    slowest = "-" if run.slowest is None else f"{run.slowest:.2f} s"
    figures = (str(len(run.scores)), str(run.failed), mean, slowest)
    when = datetime.fromtimestamp(run.at).astimezone().strftime("%Y-%m-%d %H:%M")
    return (when, run.name, *figures, run.revision.commit, run.revision.tag, run.comment)


def _as_data(run: ScoredRun) -> dict[str, object]:
    return {
        "source": run.source,
        "program": run.name,
        "time": datetime.fromtimestamp(run.at).astimezone().isoformat(),
        "comment": run.comment,
        "commit": run.revision.commit,
        "tag": run.revision.tag,
        "mean": run.mean,
        "slowest_seconds": run.slowest,
        "cases": run.scores,
    }
