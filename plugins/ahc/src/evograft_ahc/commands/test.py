"""`evo ahc test`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.text.plurals import counted
from evograft_ahc.commands.after_test import estimate_tested_rank, open_estimator, record_test, write_files
from evograft_ahc.commands.bilingual import command, option
from evograft_ahc.commands.columns import print_columns
from evograft_ahc.commands.judge_setup import JudgingCommand, judging_options, open_judging_command
from evograft_ahc.commands.rank import describe_rank, print_rank
from evograft_ahc.text.messages import ContestServiceError

if TYPE_CHECKING:
    from evograft_ahc.judging.outcome import CaseKind, CaseOutcome
    from evograft_ahc.records.printed_files import PrintedFiles
    from evograft_ahc.text.messages import Language

VALUES: Mapping[Language, Sequence[str]] = {
    "en": ("value", "cases", "mean", "min", "max"),
    "ja": ("値", "ケース", "平均", "最小", "最大"),
}
"""Of what programs print as `key=value` on standard error."""


@command(ja="プログラム FILE を、カレントフォルダーの作業フォルダーのケースで採点します。")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@option(
    *("--comment", "-m"),
    default="",
    en="What `evo ahc history` says of this test.",
    ja="`evo ahc history` に表示するコメント。",
)
@judging_options
def test(file: Path, *, comment: str, as_json: bool, **chosen: Any) -> None:
    """Score the program FILE on cases of the workspace that you are in."""
    from evograft_ahc.judging.source_file import read_source_file

    source = read_source_file(file)
    with open_judging_command(file, **chosen) as judging:
        estimator = open_estimator(judging)  # before anything is run: standings may not be in order
        program = judging.compile(source)
        outcomes = judging.run(program, file.name)
        record_test(judging, source, outcomes, comment)
        files = write_files(judging, program, outcomes, file.name)
        rank = estimate_tested_rank(judging, estimator, outcomes)
        if as_json:
            data = {**_as_data(outcomes), "folder": str(files.folder), "rank": describe_rank(rank)}
            click.echo(json.dumps(data, ensure_ascii=False))
        else:
            _print(judging, outcomes)
            print_rank(rank, judging.say)
            _print_files(judging, files, len(outcomes))
    broken = [outcome for outcome in outcomes if outcome.kind == "tester"]
    if broken:
        from evograft_ahc.judging.messages import get_message_text

        first = broken[0]
        raise ContestServiceError(
            f"the contest's own scorer failed in {counted(len(broken), 'case')}, which is not the program's fault; "
            f"{first.case}: {first.message}",
            ja=f"コンテストの採点プログラムが {len(broken)} ケースで失敗しました (提出プログラムのせいではありません)。"
            f"{first.case}: {get_message_text(first, 'ja')}",
        )


def _as_data(outcomes: Sequence[CaseOutcome]) -> dict[str, Any]:
    from evograft_ahc.judging.value_summary import summarize_values

    scores = _scores(outcomes)
    return {
        "cases": [outcome.model_dump(mode="json", exclude={"parts"}) for outcome in outcomes],
        "sum": sum(scores),
        "mean": sum(scores) / len(scores) if scores else None,
        "failed": _failures(outcomes),
        "values": {each.name: each.as_data() for each in summarize_values(outcomes)},
    }


def _print(judging: JudgingCommand, outcomes: Sequence[CaseOutcome]) -> None:
    click.echo("\n".join(judging.about))
    _print_table(judging, outcomes)
    click.echo()
    _print_sum(judging, outcomes)
    _print_failures(judging, _failures(outcomes))
    judging.print_core_share(outcomes)
    _print_values(judging, outcomes)


def _print_table(judging: JudgingCommand, outcomes: Sequence[CaseOutcome]) -> None:
    from rich.cells import set_cell_size

    from evograft.text.escapes import escape_controls
    from evograft_ahc.judging.messages import get_message_text

    judging.say(
        f"{'case':6} {'result':13} {'score':>14} {'CPU s':>7} {'time s':>7} {'MB':>6}  message",
        ja=f"{'ケース':3} {'結果':11} {'得点':>12} {'CPU 秒':>6} {'時間 秒':>4} {'MB':>6}  メッセージ",
    )
    for each in outcomes:
        score = "" if each.score is None else f"{each.score:.15g}"
        times = f"{each.cpu_seconds:7.3f} {each.wall_seconds:7.3f} {each.memory_mb:6.1f}"
        kind, message = (
            set_cell_size(judging.kind(each.kind), 13),
            escape_controls(get_message_text(each, judging.language)),
        )
        click.echo(f"{each.case:6} {kind} {score:>14} {times}  {message}".rstrip())


def _print_sum(judging: JudgingCommand, outcomes: Sequence[CaseOutcome]) -> None:
    scores = _scores(outcomes)
    mean = f"{sum(scores) / len(scores):.6g}" if scores else "-"
    slowest = max(outcomes, key=lambda outcome: outcome.wall_seconds)
    judging.say(
        f"{len(scores)} of {counted(len(outcomes), 'case')} scored, sum {sum(scores):.15g}, mean {mean}; slowest "
        f"{slowest.case}, {slowest.wall_seconds:.3f} s of {judging.workspace.task.time_limit_seconds:g} s",
        ja=f"{len(outcomes)} ケース中 {len(scores)} ケースに得点、合計 {sum(scores):.15g}、平均 {mean}。最も遅いのは "
        f"{slowest.case} の {slowest.wall_seconds:.3f} 秒 (制限 {judging.workspace.task.time_limit_seconds:g} 秒)",
    )


def _print_failures(judging: JudgingCommand, failures: Mapping[CaseKind, Sequence[str]]) -> None:
    for kind, cases in failures.items():
        judging.say(
            f"{kind}: {counted(len(cases), 'case')}, {_some(cases)}",
            ja=f"{judging.kind(kind)}: {len(cases)} ケース、{_some(cases)}",
        )
    if failures and judging.workspace.task.format == "short":
        judging.say(
            "in a short contest one failed case makes the whole submission worth 0",
            ja="短期コンテストでは、1 ケースでも失敗すると提出全体が 0 点になります",
        )
    if failures and judging.workspace.task.format is None:
        judging.say(
            "it is not known whether this is a short contest, in which one failed case makes the whole submission "
            "worth 0",
            ja="1 ケースの失敗で提出全体が 0 点になる短期コンテストかどうかは不明です",
        )


def _print_values(judging: JudgingCommand, outcomes: Sequence[CaseOutcome]) -> None:
    from evograft_ahc.judging.value_summary import summarize_values

    rows = [
        (each.name, str(each.cases), f"{each.mean:,.6g}", f"{each.low:,.6g}", f"{each.high:,.6g}")
        for each in summarize_values(outcomes)
    ]
    if rows:
        click.echo()
        print_columns(VALUES[judging.language], rows)


def _print_files(judging: JudgingCommand, files: PrintedFiles, cases: int) -> None:
    kept, pictures, earlier = files.count_written(), files.count_pictures(), files.count_earlier()
    folder, every = os.path.relpath(files.folder), kept == cases
    if not kept:
        judging.say(
            "\nnothing that it printed is kept: it is longer than `kept_output_mb`, or from too long ago (--fresh)",
            ja="\n出力は残っていません。`kept_output_mb` より長いか、古くて削除されています (--fresh で実行し直せます)",
        )
        return
    where, drawn = "each case" if every else f"{kept} of {counted(cases, 'case')}", counted(pictures, "picture")
    where_ja, others = "各ケース" if every else f"{cases} ケース中 {kept} ケース", counted(earlier, "case")
    judging.say(
        f"\nwhat it printed on {where}{f', and {drawn}' * bool(pictures)}: {folder!r}"
        f"{f'; also {others} of earlier tests' * bool(earlier)}",
        ja=f"\n{where_ja}の出力{f'と画像 {pictures} 枚' * bool(pictures)}: {folder!r}"
        f"{f' (以前のテストの {earlier} ケースも残っています)' * bool(earlier)}",
    )


def _scores(outcomes: Sequence[CaseOutcome]) -> list[float]:
    return [outcome.score for outcome in outcomes if outcome.score is not None]


def _failures(outcomes: Sequence[CaseOutcome]) -> dict[CaseKind, list[str]]:
    """Return the cases of each kind that gave no score."""
    failures: dict[CaseKind, list[str]] = {}
    for outcome in outcomes:
        if outcome.kind != "score":
            failures.setdefault(outcome.kind, []).append(outcome.case)
    return failures


def _some(cases: Sequence[str], most: int = 10) -> str:
    return " ".join(cases[:most]) + (" …" if len(cases) > most else "")
