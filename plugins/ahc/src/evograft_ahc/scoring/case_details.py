"""What an evaluation tells case by case beyond scores: values that the program printed, and its seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.timing import STEPS, compute_time_used
from evograft_hookspecs import Evaluation, FrozenDict

VALUES, SECONDS = "case_values", "case_seconds"
"""Keys of `Evaluation.details`."""


@dataclass(frozen=True)
class CaseDetails:
    """Those of an evaluation."""

    values: Mapping[str, Mapping[str, float]]
    """By case."""
    seconds: tuple[float, float] | None
    """Of an average case and of the longest one; `None`: a program that is done long before its limit."""

    @classmethod
    def within(cls, evaluation: Evaluation) -> CaseDetails:
        seconds = evaluation.details.get(SECONDS)
        return cls(evaluation.details.get(VALUES, {}), (seconds[0], seconds[1]) if seconds else None)


def add_case_details(evaluation: Evaluation, outcomes: Sequence[CaseOutcome], limit: float) -> Evaluation:
    """Return an evaluation that tells more of its cases.

    Seconds differ from run to run, so they are told only of programs that use much of the limit: these run by the
    clock, and their scores differ as well.
    """
    values = {outcome.case: outcome.values for outcome in outcomes if outcome.values}
    details = {**evaluation.details, **({VALUES: FrozenDict(values)} if values else {})}
    if compute_time_used(outcomes, limit) == STEPS[-1]:
        used = [outcome.wall_seconds for outcome in outcomes]
        details[SECONDS] = (round(sum(used) / len(used), 2), round(max(used), 2))
    return evaluation.model_copy(update={"details": FrozenDict(details)})
