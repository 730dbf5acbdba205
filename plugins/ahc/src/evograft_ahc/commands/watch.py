"""`evo ahc watch`."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.text.plurals import counted
from evograft_ahc.commands.after_test import record_test
from evograft_ahc.commands.bilingual import command
from evograft_ahc.commands.judge_setup import JudgingCommand, judging_options, open_judging_command
from evograft_ahc.text.messages import ContestUserError

if TYPE_CHECKING:
    from evograft_ahc.judging.outcome import CaseOutcome
    from evograft_ahc.judging.source_file import SourceFile
    from evograft_ahc.scores.progress import TestProgress

EVERY = 0.5
"""Seconds between two looks at the file."""


@command(
    ja="プログラム FILE を保存するたびにテストし、結果を 1 行で表示します。\n\n"
    "前回との差と、記録にある最良値に対する割合も表示します。Ctrl-C で終わります。"
)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@judging_options
def watch(file: Path, *, as_json: bool, **chosen: Any) -> None:
    """Test the program FILE whenever it is saved, a line each time.

    The line has the difference to the time before and the share of the best scores of the record. Ctrl-C ends it.
    """
    with open_judging_command(file, **chosen) as judging, contextlib.suppress(KeyboardInterrupt):
        before: Sequence[CaseOutcome] = ()
        for source in _saves(file, judging):
            try:
                outcomes = judging.run(judging.compile(source), file.name)
            except ContestUserError as err:
                click.echo(err.in_language(judging.language), err=True)
                continue
            record_test(judging, source, outcomes, "")
            progress = _compare(judging, before, outcomes)
            if as_json:
                click.echo(json.dumps(vars(progress)))
            else:
                _print(judging, progress)
            before = outcomes


def _saves(file: Path, judging: JudgingCommand) -> Iterator[SourceFile]:
    """Yield the program at once, and whenever it changes; while an editor replaces a file, it is waited for."""
    from evograft_ahc.judging.source_file import read_source_file

    seen: dict[Path, int] = {}
    known: SourceFile | None = None
    while True:
        files = known.files if known else (file,)
        written = {each: each.stat().st_mtime_ns for each in files if each.is_file()}
        if written != seen and file.is_file():
            seen = written
            try:
                source = read_source_file(file)
            except ContestUserError as err:
                click.echo(err.in_language(judging.language), err=True)
                continue
            if known is None or source.source != known.source:
                yield source
            known = source
        time.sleep(EVERY)


def _compare(judging: JudgingCommand, before: Sequence[CaseOutcome], outcomes: Sequence[CaseOutcome]) -> TestProgress:
    from evograft_ahc.scores.progress import build_progress
    from evograft_ahc.scores.record import open_score_record
    from evograft_ahc.scores.table import ScoreTable

    with open_score_record(judging.workspace) as record:
        table = ScoreTable(record.runs(), judging.workspace.task.direction)
    return build_progress(outcomes, before, table)


def _print(judging: JudgingCommand, progress: TestProgress) -> None:
    at = datetime.now().astimezone().strftime("%H:%M:%S")
    mean = "-" if progress.mean is None else f"{progress.mean:,.6g}"
    failed = progress.failed
    en, ja = "", ""
    if progress.difference is not None:
        change, better, worse = f"{progress.difference:+,.6g}", progress.better, progress.worse
        en = f"; last time {change}, {counted(better, 'case')} better, {worse} worse"
        ja = f"、前回との差 {change} (改善 {better}、悪化 {worse} ケース)"
    judging.say(
        f"{at}  mean {mean}, {progress.relative:.2%} of the best{en}{f'; {failed} failed' * bool(failed)}",
        ja=f"{at}  平均 {mean}、最良値の {progress.relative:.2%}{ja}{f'、失敗 {failed} ケース' * bool(failed)}",
    )
