"""`evo ahc history`."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_ahc.commands.bilingual import AS_JSON, command, option
from evograft_ahc.commands.columns import print_columns, print_rest
from evograft_ahc.commands.language import make_printer

if TYPE_CHECKING:
    from evograft_ahc.scores.run import ScoredRun


@command(ja="テストと取り込んだ実行を、日時、コメント、git のコミットとともに新しい順に一覧します。")
@option(
    "--most", type=click.IntRange(min=1), default=20, show_default=True, en="So many at most.", ja="表示する最大の数。"
)
@AS_JSON
def history(*, most: int, as_json: bool) -> None:
    """List tests and imported runs, the newest first, each with its time, comment and git commit."""
    from evograft_ahc.scores.record import open_score_record
    from evograft_ahc.scores.texts import RUN_WORDS, RUNS, format_run, list_by_hand
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    with open_score_record(workspace) as record:
        runs = list_by_hand(record.runs())
    if as_json:
        click.echo(json.dumps([_as_data(run) for run in runs], ensure_ascii=False))
        return
    language = load_settings(workspace).values.language
    print_columns(RUNS[language], map(format_run, runs[:most]), left=RUN_WORDS)
    print_rest(len(runs) - most, make_printer(language))


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
