"""The tables of the record in words, for terminals and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from evograft_ahc.scores.inputs import CaseGroup
from evograft_ahc.scores.run import ScoredRun
from evograft_ahc.scores.table import BY_HAND, ProgramResult, ScoreTable
from evograft_ahc.scores.view import ScoreView
from evograft_ahc.text.messages import Language

Row = tuple[str, ...]
Heads = Mapping[Language, Row]

PROGRAMS: Heads = {
    "en": ("program", "runs", "cases", "failed", "mean", "sum", "relative", "best on", "comment"),
    "ja": ("プログラム", "実行", "ケース", "失敗", "平均", "合計", "相対", "最良", "コメント"),
}
GROUPS: Heads = {
    "en": ("variable", "values", "cases", "loss", "share of all loss"),
    "ja": ("変数", "値", "ケース", "損失", "全損失中の割合"),
}
CASES: Heads = {
    "en": ("case", "score", "best", "relative", "by"),
    "ja": ("ケース", "得点", "最良", "相対", "プログラム"),
}
RUNS: Heads = {
    "en": ("time", "program", "cases", "failed", "mean", "slowest", "commit", "tag", "comment"),
    "ja": ("日時", "プログラム", "ケース", "失敗", "平均", "最長", "コミット", "タグ", "コメント"),
}
PROGRAM_WORDS, GROUP_WORDS, CASE_WORDS, RUN_WORDS = map(frozenset, ((0, 8), (0,), (0, 4), (0, 1, 6, 7, 8)))
"""The columns that are no numbers."""
NOTHING = "-"


def format_program(table: ScoreTable, program: ProgramResult) -> Row:
    mean = NOTHING if program.mean is None else f"{program.mean:,.6g}"
    counts = map(str, (len(program.runs), len(program.scores), program.failed))
    figures = (mean, f"{program.total:,.10g}", f"{table.relative(program):.2%}", str(table.count_best(program)))
    return (program.label, *counts, *figures, program.comment)


def format_group(view: ScoreView, group: CaseGroup) -> Row:
    lost, count = view.sum_loss(group.cases), len(group.cases)
    share = lost / view.lost if view.lost else 0.0
    return (group.variable, group.values, str(count), f"{lost / count:.2%}", f"{share:.0%}")


def format_case(view: ScoreView, case: str) -> Row:
    """Return what is known of a case: the score of the program in detail, and the best."""
    best = view.table.best[case]
    score = view.program.scores.get(case) if view.program else None
    is_known = view.program is not None and case in view.program.scores
    relative = f"{view.table.relative_on(case, score):.2%}" if is_known else ""
    shown = NOTHING if score is None else f"{score:,.10g}"
    return (case, shown if is_known else "", f"{best.score:,.10g}", relative, best.program)


def format_run(run: ScoredRun) -> Row:
    mean = NOTHING if run.mean is None else f"{run.mean:,.6g}"
    slowest = NOTHING if run.slowest is None else f"{run.slowest:.2f} s"
    figures = (str(len(run.scores)), str(run.failed), mean, slowest)
    when = datetime.fromtimestamp(run.at).astimezone().strftime("%Y-%m-%d %H:%M")
    return (when, run.name, *figures, run.revision.commit, run.revision.tag, run.comment)


def list_by_hand(runs: Sequence[ScoredRun]) -> list[ScoredRun]:
    """Return the runs that a person has begun, the newest first."""
    return [run for run in reversed(runs) if run.source in BY_HAND]
