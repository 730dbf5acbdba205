"""The rank that a program would have had, estimated from its scores on other cases than the contest's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evograft_ahc.contests.task import ContestTask
from evograft_ahc.scores.standings import ContestStandings, RankPlacement, read_standings
from evograft_ahc.scores.table import ScoreTable
from evograft_ahc.scoring.interval import compute_interval
from evograft_ahc.scoring.scale import FULL
from evograft_ahc.settings.model import ScoreSettings
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.workspace.folder import Workspace


@dataclass(frozen=True)
class RankEstimate:
    """Where a program would stand."""

    score: float
    """On the scale of the standings."""
    placement: RankPlacement
    ranks: tuple[int, int] | None
    """The best and the worst at 95 %, with the chance in both choices of cases; `None`: there is one case only."""
    cases: int
    is_bound: bool
    """Whether the true score is lower: a relative score is known next to the record's best scores only, and those of
    the contest were better."""


@dataclass(frozen=True)
class RankEstimator:
    """Of a workspace whose settings name its contest's standings.

    Args:
        standings: of the contest.
        task: of the workspace.
        cases: on how many cases the standings' scores are.
    """

    standings: ContestStandings
    task: ContestTask
    cases: int

    def estimate(self, scores: Mapping[str, float | None], table: ScoreTable) -> RankEstimate | None:
        """Return where a program would stand; `None`: nothing can be said.

        Args:
            scores: of the program.
            table: of all programs, for relative scores.
        """
        worths = self._worths(scores, table)
        if not worths or any(worth is None for worth in worths):
            return None
        interval = compute_interval([worth for worth in worths if worth is not None])
        times = 1 if self.task.score_kind == "absolute_mean" else self.cases
        # The contest's own cases were drawn by chance as well.
        reach = (interval.high - interval.mean) * math.sqrt(1 + len(worths) / self.cases)
        ends = sorted(self.standings.place(times * (interval.mean + side * reach)).rank for side in (-1, 1))
        return RankEstimate(
            score=times * interval.mean,
            placement=self.standings.place(times * interval.mean),
            ranks=(ends[0], ends[1]) if len(worths) > 1 else None,
            cases=len(worths),
            is_bound=self.task.score_kind == "relative",
        )

    def _worths(self, scores: Mapping[str, float | None], table: ScoreTable) -> list[float | None]:
        """Return what each case is worth; `None` where that is not known."""
        if self.task.score_kind == "rank":
            return []
        if self.task.score_kind == "relative":
            return [FULL * table.relative_on(case, score) for case, score in scores.items() if case in table.best]
        failure = self.task.failed_score
        if failure is None and self.task.direction == "max":
            failure = 0.0
        if self.task.format == "short" and None in scores.values():
            return [failure] * len(scores)
        return [failure if score is None else score for score in scores.values()]


def open_rank_estimator(workspace: Workspace, settings: ScoreSettings) -> RankEstimator | None:
    """Return the estimator of a workspace; `None`: its settings name no standings.

    Raises:
        ContestUserError: the file is not there, or not in order.
    """
    if not settings.standings:
        return None
    file = workspace.folder / Path(settings.standings).expanduser()
    if not file.is_file():
        raise ContestUserError(
            f"scores.standings: there is no file {str(file)!r}: put it there, or name none: "
            "evo ahc config scores.standings '\"\"'",
            ja=f"scores.standings: ファイル {str(file)!r} がありません。そこに置くか、指定をやめてください: "
            "evo ahc config scores.standings '\"\"'",
        )
    standings = read_standings(file, workspace.task.direction)
    return RankEstimator(standings, workspace.task, settings.standings_cases)
