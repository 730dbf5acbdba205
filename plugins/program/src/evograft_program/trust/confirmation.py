"""Confirmation: a candidate that is better than the incumbent is evaluated again before its score counts."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from evograft_hookspecs import Evaluation, FrozenDict
from evograft_hookspecs.values import thaw
from evograft_program.options import TrustOptions
from evograft_program.trust.repeats import RepeatPlan, Repeats, SingleEvaluation, carry_out, prune
from evograft_program.trust.summary import describe_mean, find_spread, prepend_feedback, summarise

CONFIRMED = "confirmed"
CONFIRMATION = "confirmation"
TRUST = "trust"
"""The key in `Evaluation.details`."""


def evaluate_in_search(evaluate: SingleEvaluation, trust: TrustOptions, incumbent: Evaluation | None) -> Evaluation:
    """Return the evaluation of a candidate: repeated, and confirmed if it is better than the incumbent.

    With confirmation there is no race: the incumbent is then the best of all, and a search that gave up everything
    else would have no population.
    """
    plan = RepeatPlan(trust.repeat)
    repeats = carry_out(evaluate, plan, None if trust.confirm else incumbent)
    if repeats.failure is not None:
        return repeats.fail()
    if repeats.is_given_up:
        return prune(repeats, plan.find_scores(incumbent))
    if trust.confirm and _is_better(repeats.scores, incumbent):
        return _confirm(evaluate, repeats, trust, incumbent)
    summary = summarise(repeats.done)
    return summary if trust.repeat == 1 else prepend_feedback(summary, describe_mean(repeats.scores))


def _is_better(scores: Sequence[float], incumbent: Evaluation | None) -> bool:
    return incumbent is None or incumbent.score is None or mean(scores) > incumbent.score


def _confirm(
    evaluate: SingleEvaluation, repeats: Repeats, trust: TrustOptions, incumbent: Evaluation | None
) -> Evaluation:
    """Return the mean of the first evaluations and of further ones, with other seeds and in clean processes."""
    plan = RepeatPlan(trust.confirm, first_seed=trust.repeat, clean=True, name=CONFIRMATION)
    further = carry_out(evaluate, plan)
    if further.failure is not None:
        return further.fail("not confirmed: ")
    summary = summarise({**repeats.done, **further.done})
    confirmed = _is_better([summary.score or 0.0], incumbent)
    return prepend_feedback(
        summary.model_copy(
            update={
                "metrics": FrozenDict({**summary.metrics, CONFIRMED: float(confirmed)}),
                "details": FrozenDict({**thaw(summary.details), TRUST: _record(repeats, further, confirmed=confirmed)}),
            }
        ),
        _describe(repeats.scores, further.scores, None if confirmed else incumbent),
    )


def _record(repeats: Repeats, further: Repeats, *, confirmed: bool) -> FrozenDict[str, object]:
    return FrozenDict(
        {
            "first": mean(repeats.scores),
            "then": mean(further.scores),
            CONFIRMED: confirmed,
            "evaluations": len(further.done),
        }
    )


def _describe(first: Sequence[float], then: Sequence[float], unbeaten: Evaluation | None) -> str:
    """Return what was seen first and after, in words."""
    seen = (
        f"first {mean(first):.6g}, then {mean(then):.6g} on average of {len(then)} further evaluations; "
        f"the score is the mean of all {len(first) + len(then)}, standard deviation {find_spread([*first, *then]):.3g}"
    )
    if unbeaten is None:
        return f"Confirmed: {seen}."
    return f"Not confirmed: {seen}, which is not better than the incumbent's {unbeaten.score:.6g}."
