"""What a change of a program brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scores.table import ScoreTable
from evograft_ahc.scoring.references import collect_scores


@dataclass(frozen=True)
class TestProgress:
    """A test next to the one before and to the best of the record."""

    __test__ = False  # not one of pytest's
    mean: float | None
    """Of the cases that did not fail."""
    failed: int
    relative: float
    """The mean share of the best scores."""
    difference: float | None
    """Of the mean to the time before, over the cases that neither failed; `None`: there are none."""
    better: int
    """Cases, whichever direction is better; one that fails no more is better."""
    worse: int


def build_progress(after: Sequence[CaseOutcome], before: Sequence[CaseOutcome], table: ScoreTable) -> TestProgress:
    """Compare a test.

    Args:
        after: its outcomes.
        before: those of the time before; empty: there was none.
        table: the record, with this test.
    """
    new, old = collect_scores(after), collect_scores(before)
    known = {outcome.case for outcome in before} & {outcome.case for outcome in after}
    both = [case for case in known if case in new and case in old]
    changes = [table.compare(new.get(case), old.get(case)) for case in known]
    shares = [table.relative_on(outcome.case, outcome.score) for outcome in after if outcome.case in table.best]
    return TestProgress(
        mean=sum(new.values()) / len(new) if new else None,
        failed=len(after) - len(new),
        relative=sum(shares) / len(shares) if shares else 0.0,
        difference=sum(new[case] - old[case] for case in both) / len(both) if both else None,
        better=changes.count(1),
        worse=changes.count(-1),
    )
