"""Several evaluations of one candidate as one."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev

from evograft_hookspecs import Evaluation, FrozenDict

SCORE_STD = "score_std"
EVALUATIONS = "evaluations"


def summarise(evaluations: Mapping[str, Evaluation]) -> Evaluation:
    """Return one evaluation: means of scores and metrics, the spread, and the scores themselves as cases.

    Args:
        evaluations: those of a candidate that are `ok`, by a name for each; at least one.
    """
    parts = tuple(evaluations.values())
    scores = list_scores(parts)
    if len(parts) == 1:
        return parts[0]
    # Children go on from what the best of them kept.
    best = max(parts, key=lambda each: (each.score or 0.0, bool(each.kept)))
    own = {SCORE_STD: find_spread(scores), EVALUATIONS: float(len(parts))}
    return parts[0].model_copy(
        update={
            "score": mean(scores),
            "cases": FrozenDict(dict(zip(evaluations, scores, strict=True))),
            "metrics": FrozenDict({**find_means(each.metrics for each in parts), **own}),
            "objectives": FrozenDict(find_means(each.objectives for each in parts)),
            "descriptors": FrozenDict(find_means(each.descriptors for each in parts)),
            "kept": best.kept,
            **add_costs(parts),
        }
    )


def list_scores(evaluations: Iterable[Evaluation]) -> list[float]:
    return [each.score for each in evaluations if each.score is not None]


def find_means(values: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each value, over the evaluations that have it."""
    found: dict[str, list[float]] = defaultdict(list)
    for each in values:
        for name, value in each.items():
            found[name].append(value)
    return {name: mean(each) for name, each in found.items()}


def find_spread(values: Sequence[float]) -> float:
    """Return the standard deviation; that of a single value is 0."""
    largest = max(map(abs, values), default=0.0)
    if not largest or len(values) == 1:
        return 0.0
    return min(largest * stdev(value / largest for value in values), sys.float_info.max)


def add_costs(evaluations: Iterable[Evaluation]) -> dict[str, object]:
    """Return what evaluations have spent together, as fields of one."""
    parts = tuple(evaluations)
    durations: dict[str, float] = defaultdict(float)
    for each in parts:
        for name, seconds in each.durations.items():
            durations[name] += seconds
    return {
        "seconds": sum(each.seconds for each in parts),
        "cost": sum(each.cost for each in parts),
        "durations": FrozenDict(durations),
    }


def describe_mean(scores: Sequence[float]) -> str:
    """Return what a score is the mean of, in words."""
    return (
        f"The score {mean(scores):.6g} is the mean of {len(scores)} evaluations with different seeds, "
        f"standard deviation {find_spread(scores):.3g}."
    )


def prepend_feedback(evaluation: Evaluation, line: str) -> Evaluation:
    said = f"{line}\n\n{evaluation.feedback}" if evaluation.feedback else line
    return evaluation.model_copy(update={"feedback": said})
