"""One form for whatever evaluators return: metrics and artifacts, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass

from evograft_program.answers.decoding import MetricsAndArtifacts, OpaqueObject

COMBINED = "combined_score"
ERROR = "error"
ARTIFACTS = "artifacts"


@dataclass(frozen=True)
class StageFailure:
    """The end of a stage, or of a whole evaluation, without an answer."""

    reason: str
    """One line."""
    feedback: str = ""
    """The last frames of an exception, for instance."""
    is_timeout: bool = False


def to_result(value: object) -> MetricsAndArtifacts | StageFailure:
    """Return what an evaluator returned as metrics and artifacts.

    A number is a score, and a pair of a number and something else a score with what is said about it. Here a bool is a
    number: who returns nothing else has right or wrong answers.
    """
    if isinstance(value, MetricsAndArtifacts | StageFailure):
        return value
    if isinstance(value, dict):
        return _from_dict(value)
    if isinstance(value, int | float):
        return MetricsAndArtifacts({COMBINED: value + 0})
    match value:
        case (int() | float() as score, info):
            return MetricsAndArtifacts({COMBINED: score + 0}, info if isinstance(info, dict) else {"": info})
    return StageFailure(f"the evaluator returned {name_kind(value)}, not a number or a dict of metrics")


def is_number(value: object) -> bool:
    """Return whether a value is a number; a bool is a flag and not one."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_dict(value: object) -> dict[object, object]:
    """Return a dict as it is; whatever else stands in its place says nothing."""
    return value if isinstance(value, dict) else {}


def name_kind(value: object) -> str:
    """Return what kind of value it is, for people."""
    if isinstance(value, OpaqueObject):
        return value.text[:80]
    return "nothing" if value is None else type(value).__name__


def _from_dict(value: dict[object, object]) -> MetricsAndArtifacts:
    artifacts = value.get(ARTIFACTS)
    if not isinstance(artifacts, dict):
        return MetricsAndArtifacts(value)
    return MetricsAndArtifacts({name: each for name, each in value.items() if name != ARTIFACTS}, artifacts)
