"""`evo ahc scores`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft_ahc.commands.bilingual import AS_JSON, command, option
from evograft_ahc.commands.columns import print_columns
from evograft_ahc.commands.language import make_printer
from evograft_ahc.commands.rank import describe_rank, estimate_rank, print_rank
from evograft_ahc.text.messages import ContestUserError

if TYPE_CHECKING:
    from evograft_ahc.scores.estimate import RankEstimate
    from evograft_ahc.scores.inputs import CaseGroup
    from evograft_ahc.scores.table import ProgramResult, ScoreTable
    from evograft_ahc.text.messages import Language, ProgressReporter

PROGRAMS: Mapping[Language, Sequence[str]] = {
    "en": ("program", "runs", "cases", "failed", "mean", "sum", "relative", "best on", "comment"),
    "ja": ("プログラム", "実行", "ケース", "失敗", "平均", "合計", "相対", "最良", "コメント"),
}
GROUPS: Mapping[Language, Sequence[str]] = {
    "en": ("variable", "values", "cases", "loss", "share of all loss"),
    "ja": ("変数", "値", "ケース", "損失", "全損失中の割合"),
}
CASES: Mapping[Language, Sequence[str]] = {
    "en": ("case", "score", "best", "relative", "by"),
    "ja": ("ケース", "得点", "最良", "相対", "プログラム"),
}


@command(
    ja="これまでの得点: 各プログラム、各ケースの最良値、入力の変数ごとの損失。\n\n"
    "PROGRAM を省くと、最後にテストしたプログラムについて表示します。"
)
@click.argument("program", required=False)
@option(
    "--most",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    en="So many programs and cases at most.",
    ja="表示するプログラムとケースの最大の数。",
)
@AS_JSON
def scores(program: str | None, *, most: int, as_json: bool) -> None:
    """Show all scores so far: of each program, the best of each case, what is lost by input variable.

    Without PROGRAM, losses are those of the program that was tested last.
    """
    view = _load_view(program)
    if as_json:
        click.echo(json.dumps(_as_data(view), ensure_ascii=False))
        return
    _print_programs(view, most)
    if view.program is not None:
        if view.rank:
            view.say(f"\n{view.program.label}:", ja=f"\n{view.program.label}:")
            print_rank(view.rank, view.say)
        _print_groups(view, view.program)
        _print_cases(view, view.program, most)


@dataclass(frozen=True)
class ScoreView:
    """What is shown: a table, and one program of it in detail."""

    table: ScoreTable
    program: ProgramResult | None
    groups: tuple[CaseGroup, ...]
    rank: RankEstimate | None
    language: Language

    @cached_property
    def say(self) -> ProgressReporter:
        return make_printer(self.language)

    def print(
        self, heads: Mapping[Language, Sequence[str]], rows: Iterable[Sequence[str]], left: Sequence[int]
    ) -> None:
        """Print a table with the heads of the language."""
        print_columns(heads[self.language], rows, left=left)

    @cached_property
    def lost(self) -> float:
        """What the program loses over all cases, in shares of the best."""
        return sum(self.loss(case) for case in self.program.scores) if self.program else 0.0

    def loss(self, case: str) -> float:
        """Return the share of the best score that the program lacks on a case."""
        if self.program is None or case not in self.table.best:
            return 0.0
        return 1 - self.table.relative_on(case, self.program.scores[case])


def _load_view(word: str | None) -> ScoreView:
    from evograft_ahc.scores.inputs import group_cases, read_variables
    from evograft_ahc.scores.record import open_score_record
    from evograft_ahc.scores.sessions import record_sessions
    from evograft_ahc.scores.table import ScoreTable
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    settings = load_settings(workspace).values
    with open_score_record(workspace) as record:
        record_sessions(workspace, record)
        table = ScoreTable(record.runs(), workspace.task.direction)
    program = table.latest if word is None else _find_program(table, word)
    variables = read_variables(workspace, settings.scores.input, list(program.scores) if program else [])
    rank = estimate_rank(workspace, settings.scores, program.scores, table) if program else None
    return ScoreView(table, program, tuple(group_cases(variables)), rank, settings.language)


def _find_program(table: ScoreTable, word: str) -> ProgramResult:
    from evograft.api import did_you_mean
    from evograft_ahc.text.validation_errors import suggest_in_japanese

    found = table.find_program(word)
    if found is None:
        labels = [program.label for program in table.programs]
        raise ContestUserError(
            f"no scores of a program {word!r}; {did_you_mean(word, labels)}",
            ja=f"プログラム {word!r} の得点はありません; {suggest_in_japanese(word, labels)}",
        )
    return found


def _as_data(view: ScoreView) -> dict[str, Any]:
    table, program = view.table, view.program
    return {
        "runs": len(table.runs),
        "programs": [_program_data(table, each) for each in table.programs],
        "best": {case: {"score": best.score, "program": best.program} for case, best in table.best.items()},
        "program": program.label if program else None,
        "rank": describe_rank(view.rank),
        "groups": [
            {"variable": group.variable, "low": group.low, "high": group.high, "cases": list(group.cases)}
            | {"loss": sum(map(view.loss, group.cases)) / len(group.cases)}
            for group in view.groups
        ],
    }


def _program_data(table: ScoreTable, program: ProgramResult) -> dict[str, Any]:
    return {
        "program": program.label,
        "runs": len(program.runs),
        "pruned": program.is_pruned,
        "failed": program.failed,
        "mean": program.mean,
        "sum": program.total,
        "relative": table.relative(program),
        "best_on": table.count_best(program),
        "comment": program.comment,
        "cases": program.scores,
    }


def _print_programs(view: ScoreView, most: int) -> None:
    table, whole = view.table, [program for program in view.table.programs if not program.is_pruned]
    view.say(
        f"{len(table.runs)} runs of {len(table.programs)} programs on {len(table.best)} cases",
        ja=f"{len(table.programs)} プログラム、{len(table.runs)} 回の実行、{len(table.best)} ケース",
    )
    if not whole:
        view.say(
            "no program was run on all cases that it was meant for: evo ahc test FILE",
            ja="最後まで実行されたプログラムがありません: evo ahc test ファイル",
        )
        return
    click.echo()
    view.print(PROGRAMS, (_row(table, each) for each in whole[:most]), left=(0, 8))
    if len(whole) > most:
        view.say(f"and {len(whole) - most} more: --most", ja=f"ほか {len(whole) - most} 件: --most で表示")


def _row(table: ScoreTable, program: ProgramResult) -> tuple[str, ...]:
    mean = "-" if program.mean is None else f"{program.mean:,.6g}"
    counts = map(str, (len(program.runs), len(program.scores), program.failed))
    figures = (mean, f"{program.total:,.10g}", f"{table.relative(program):.2%}", str(table.count_best(program)))
    return (program.label, *counts, *figures, program.comment)


def _print_groups(view: ScoreView, program: ProgramResult) -> None:
    if not view.groups:
        return
    view.say(
        f"\n{program.label} by input variable; loss: what it lacks of the best score",
        ja=f"\n{program.label} の入力変数ごとの成績。損失: 最良値に対する不足",
    )
    rows = ((group.variable, group.values, str(len(group.cases)), *_losses(view, group.cases)) for group in view.groups)
    view.print(GROUPS, rows, left=(0,))


def _losses(view: ScoreView, cases: Sequence[str]) -> tuple[str, str]:
    lost = sum(map(view.loss, cases))
    return f"{lost / len(cases):.2%}", f"{lost / view.lost if view.lost else 0.0:.0%}"


def _print_cases(view: ScoreView, program: ProgramResult, most: int) -> None:
    weakest = [case for case in view.table.list_weakest(program) if view.loss(case) > 0]
    if not weakest:
        view.say(f"\n{program.label} has the best score of every case", ja=f"\n{program.label} が全ケースで最良です")
        return
    view.say(
        f"\n{program.label} is behind on {len(weakest)} cases; most on:",
        ja=f"\n{program.label} は {len(weakest)} ケースで最良に届きません。差の大きい順:",
    )
    rows = (_case_row(view, program, case) for case in weakest[:most])
    view.print(CASES, rows, left=(0, 4))


def _case_row(view: ScoreView, program: ProgramResult, case: str) -> tuple[str, ...]:
    best, score = view.table.best[case], program.scores[case]
    shown = "-" if score is None else f"{score:,.10g}"
    return case, shown, f"{best.score:,.10g}", f"{view.table.relative_on(case, score):.2%}", best.program
