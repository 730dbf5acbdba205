"""`evo ahc compare`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.text.plurals import counted
from evograft_ahc.commands.bilingual import command
from evograft_ahc.commands.judge_setup import JudgingCommand, judging_options, open_judging_command

if TYPE_CHECKING:
    from evograft_ahc.contests.task import ContestTask
    from evograft_ahc.judging.outcome import CaseOutcome
    from evograft_ahc.judging.source_file import SourceFile
    from evograft_ahc.scoring.interval import Interval

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@command(ja="プログラム A と B をケースごとに比べ、どちらがどれだけ確実に良いかを示します。")
@click.argument("first", metavar="A", type=FILE)
@click.argument("second", metavar="B", type=FILE)
@judging_options
def compare(first: Path, second: Path, *, as_json: bool, **chosen: Any) -> None:
    """Compare the programs A and B case by case: which is better, and how sure that is."""
    from evograft_ahc.judging.source_file import read_source_file

    sources = [read_source_file(file) for file in (first, second)]
    with open_judging_command(first, second, **chosen) as judging:
        programs = map(judging.compile, sources)
        a, b = (judging.run(program, source.file.name) for program, source in zip(programs, sources, strict=True))
        comparison = Comparison(judging.workspace.task, a, b)
        if as_json:
            click.echo(json.dumps(_as_data(comparison), ensure_ascii=False))
        else:
            _print(judging, comparison, sources)


@dataclass(frozen=True)
class Comparison:
    """Two programs on the same cases."""

    task: ContestTask
    a: Sequence[CaseOutcome]
    b: Sequence[CaseOutcome]

    @cached_property
    def differences(self) -> tuple[float, ...]:
        """B's points less A's on each case; relative scores and ranks are among the two."""
        from evograft_ahc.scoring.references import References, collect_scores
        from evograft_ahc.scoring.scale import ScoreScale

        scale = ScoreScale(self.task, References(programs=(collect_scores(self.a), collect_scores(self.b))))
        a, b = scale.points_of(self.a), scale.points_of(self.b)
        return tuple(b[case] - a[case] for case in a)

    @cached_property
    def interval(self) -> Interval:
        """Of the mean difference over all cases that there could be, at 95 %."""
        from evograft_ahc.scoring.interval import compute_interval

        return compute_interval(self.differences)

    @property
    def winner(self) -> str:
        """`A`, `B`, or nothing while the interval holds 0."""
        if len(self.differences) > 1 and self.interval.low > 0:
            return "B"
        return "A" if len(self.differences) > 1 and self.interval.high < 0 else ""


def _as_data(comparison: Comparison) -> dict[str, Any]:
    interval = comparison.interval
    rows = zip(comparison.a, comparison.b, comparison.differences, strict=True)
    return {
        "cases": [
            {"case": a.case, "a": a.model_dump(mode="json"), "b": b.model_dump(mode="json"), "difference": difference}
            for a, b, difference in rows
        ],
        "mean_difference": interval.mean,
        "interval_95": [interval.low, interval.high],
        "winner": comparison.winner,
    }


def _print(judging: JudgingCommand, comparison: Comparison, sources: Sequence[SourceFile]) -> None:
    click.echo("\n".join(judging.about))
    a, b = (str(source.file) for source in sources)
    judging.say(f"A is {a!r}, B is {b!r}", ja=f"A は {a!r}、B は {b!r}")
    columns = f"{'A':>16} {'B':>16} {'B - A':>16}"
    judging.say(f"{'case':6} {columns}", ja=f"{'ケース':3} {columns}")
    for ours, theirs, difference in zip(comparison.a, comparison.b, comparison.differences, strict=True):
        click.echo(f"{ours.case:6} {_shown(ours, judging)} {_shown(theirs, judging)} {difference:>+16.10g}")
    click.echo()
    signs = [(difference > 0) - (difference < 0) for difference in comparison.differences]
    better, worse, even = signs.count(1), signs.count(-1), signs.count(0)
    interval = comparison.interval
    bounds = f"{interval.mean:+.6g} [{interval.low:+.6g}, {interval.high:+.6g}]"
    judging.say(
        f"B is better in {counted(better, 'case')}, worse in {worse}, even in {even}; mean difference {bounds} at "
        "95 %, more is better",
        ja=f"B の勝ち {better}、負け {worse}、引き分け {even}。平均差 {bounds} (95% 信頼区間、大きいほど B が良い)",
    )
    _print_conclusion(judging, comparison, is_same_source=sources[0].source == sources[1].source)
    judging.print_core_share((*comparison.a, *comparison.b))


def _print_conclusion(judging: JudgingCommand, comparison: Comparison, *, is_same_source: bool) -> None:
    if comparison.winner:
        judging.say(f"{comparison.winner} is better", ja=f"{comparison.winner} の方が良い")
    elif is_same_source:
        judging.say(
            "A and B have the same source: nothing to decide", ja="A と B は同じソースなので、判定するものがありません"
        )
    elif not any(comparison.differences):
        judging.say(
            "undecided: both are worth the same in every case; run more cases, unless they are to do the same",
            ja="判定できません。すべてのケースで差がありません。同じ動作のはずでなければ、ケースを増やしてください",
        )
    else:
        judging.say("undecided: run more cases", ja="判定できません。ケースを増やしてください")


def _shown(outcome: CaseOutcome, judging: JudgingCommand) -> str:
    """To the right of a column of 16; characters of Japanese are two wide."""
    from rich.cells import cell_len

    text = judging.kind(outcome.kind) if outcome.score is None else f"{outcome.score:.12g}"
    return " " * (16 - cell_len(text)) + text
