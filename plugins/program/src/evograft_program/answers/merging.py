"""Stages of a cascade: one result of them all, as OpenEvolve computes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evograft_program.answers.decoding import MetricsAndArtifacts
from evograft_program.answers.results import ERROR, StageFailure, to_result


def merge_stages(stages: Sequence[tuple[str, object]]) -> MetricsAndArtifacts | StageFailure:
    """Return one answer of the stages that were run, in their order.

    A stage that failed after others leaves what they said, with `stageN_passed: 0`; if the first one failed, that is
    the answer.
    """
    if not stages:
        return StageFailure("the evaluator gave no answer")
    merged = to_result(stages[0][1])
    for name, value in stages[1:]:
        if isinstance(merged, StageFailure):
            break
        stage = name.removeprefix("evaluate_")
        if isinstance(value, StageFailure):
            merged = _with_failure(merged, stage, value)
        else:
            merged = _join(merged, _as_later_stage(to_result(value), stage))
    return merged


def _as_later_stage(result: MetricsAndArtifacts | StageFailure, stage: str) -> MetricsAndArtifacts:
    """Return what a stage adds; one that returned something odd adds no number."""
    return _say_failure(stage, result) if isinstance(result, StageFailure) else result


def _join(before: MetricsAndArtifacts, after: MetricsAndArtifacts) -> MetricsAndArtifacts:
    """Join two stages; as there, only numbers stay metrics, bools among them, and one called `error` is dropped."""
    said = {
        name: value
        for result in (before, after)
        for name, value in result.metrics.items()
        if not isinstance(value, int | float)
    }
    numbers = {**_numbers(before.metrics), **_numbers(after.metrics)}
    return MetricsAndArtifacts(numbers, {**said, **before.artifacts, **after.artifacts})


def _with_failure(before: MetricsAndArtifacts, stage: str, failure: StageFailure) -> MetricsAndArtifacts:
    flags = {"timeout": True} if failure.is_timeout else {}
    metrics = {**before.metrics, f"{stage}_passed": 0.0, **flags}
    return MetricsAndArtifacts(metrics, {**before.artifacts, **_say_failure(stage, failure).artifacts})


def _say_failure(stage: str, failure: StageFailure) -> MetricsAndArtifacts:
    said = {f"{stage} failed": failure.reason, f"{stage} traceback": failure.feedback}
    return MetricsAndArtifacts({}, {name: text for name, text in said.items() if text})


def _numbers(metrics: Mapping[Any, Any]) -> dict[Any, int | float]:
    return {
        name: value + 0 if isinstance(value, bool) else value
        for name, value in metrics.items()
        if name != ERROR and isinstance(value, int | float)
    }
