"""What an answer amounts to, whatever its style, and the evaluation that it becomes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from evograft.text.escapes import one_line
from evograft_hookspecs import Evaluation, FrozenDict
from evograft_program.answers.decoding import MetricsAndArtifacts
from evograft_program.answers.feedback import clean_name, clean_text, limit, to_json, write_feedback
from evograft_program.answers.fitness import find_float, to_float
from evograft_program.answers.results import COMBINED, ERROR, StageFailure, is_number
from evograft_program.options import ScoreRules

MOST_METRICS = 500
MOST_CASES = 10_000
HIDDEN = "hidden"
"""The key in `Evaluation.details` of what no model is to see."""
KEPT = "kept"
"""The artifact that evaluations of a candidate's children are handed."""

Said = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class AnswerParts:
    """An answer, taken apart."""

    metrics: Mapping[object, object] = field(default_factory=dict)
    """Numbers are measured values; everything else is something to read."""
    fitness: float | None = None
    """By the rule of the style; `None`: there is none."""
    reason: str = ""
    """Why the candidate is rejected; empty: it is not, as far as the evaluator says."""
    said: Said = ()
    """For the feedback, by name."""
    hidden: Mapping[object, object] = field(default_factory=dict)
    """What no model is to see."""
    objectives: Mapping[object, object] = field(default_factory=dict)
    cases: Mapping[str, float] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    """Metrics that say where the candidate lies."""
    kept: bytes = b""
    stage: str = ""

    @classmethod
    def of_failure(cls, failure: StageFailure) -> Self:
        """Return what there is where nothing was answered."""
        return cls(reason=failure.reason or "the evaluation failed", said=(("", failure.feedback),))


def build_evaluation(parts: AnswerParts, rules: ScoreRules) -> Evaluation:
    """Return the evaluation that an answer is by the rules."""
    measured = _finite(parts.metrics)
    odd = tuple((clean_name(name), value) for name, value in parts.metrics.items() if clean_name(name) not in measured)
    feedback = write_feedback((*odd, *parts.said))
    hidden = {clean_name(name): limit(value) for name, value in list(parts.hidden.items())[:MOST_METRICS]}
    details = {HIDDEN: hidden} if hidden else {}
    found = parts.reason or _find_aims(parts, rules)
    common = {"metrics": measured, "feedback": feedback, "details": details, "stage": clean_name(parts.stage)}
    if isinstance(found, str):
        return Evaluation(status="rejected", reason=clean_text(one_line(found)) or "rejected", **common)
    score, objectives = found
    return Evaluation(
        status="ok",
        score=-score if rules.minimise else score,
        cases=_finite(parts.cases, most=MOST_CASES),
        objectives=objectives,
        descriptors=FrozenDict({name: measured[name] for name in parts.features if name in measured}),
        kept=parts.kept,
        **common,
    )


def take_kept(artifacts: Mapping[object, object]) -> bytes:
    """Return what evaluations of children are to start from."""
    kept = artifacts.get(KEPT)
    if kept is None or isinstance(kept, bytes):
        return kept or b""
    if isinstance(kept, str):
        return clean_text(kept).encode()
    return json.dumps(to_json(kept), ensure_ascii=False).encode()


def list_said(artifacts: Mapping[object, object]) -> Said:
    """Return artifacts as entries of the feedback, without what is kept."""
    return tuple((clean_name(name), value) for name, value in artifacts.items() if name != KEPT)


def find_only_error(result: MetricsAndArtifacts, rules: ScoreRules) -> str:
    """Return what an answer says that has an error in the place of numbers; empty: it has numbers, or no error.

    Engines put a number there too when an evaluation fails, unless it is the very metric that counts.
    """
    metrics = result.metrics
    if rules.metric == ERROR and is_number(metrics.get(ERROR)):
        return ""
    others = (value for name, value in metrics.items() if name != ERROR)
    if ERROR not in metrics or any(map(is_number, others)) or find_float(metrics.get(COMBINED)) is not None:
        return ""
    for said in (metrics[ERROR], result.artifacts.get(ERROR), *metrics.values(), *result.artifacts.values()):
        if isinstance(said, str) and said.strip():
            return f"the evaluator says: {said}"
    return "the evaluator answered with an error only"


def _find_aims(parts: AnswerParts, rules: ScoreRules) -> tuple[float, FrozenDict[str, float]] | str:
    """Return the number that counts and the objectives, or why one of them is missing."""
    score = _find_score(parts, rules)
    if isinstance(score, str):
        return score
    objectives = _find_objectives(parts, rules)
    return objectives if isinstance(objectives, str) else (score, objectives)


def _find_objectives(parts: AnswerParts, rules: ScoreRules) -> FrozenDict[str, float] | str:
    """Return the objectives that the rules name, else those of the answer, or why there are not all of them."""
    if not rules.objectives:
        return _finite(parts.objectives)
    found = {}
    for name, is_less_better in rules.directions.items():
        value = _find_metric(parts, name)
        if isinstance(value, str):
            return value
        found[clean_name(name)] = -value if is_less_better else value
    return FrozenDict(found)


def _find_score(parts: AnswerParts, rules: ScoreRules) -> float | str:
    """Return the number that counts, or why there is none."""
    name = rules.metric or "the score"
    value = _find_metric(parts, rules.metric) if rules.metric else parts.fitness
    if value is None:
        return f"no score: {_say_what_there_is(parts)}"
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return f"{name} is {value}"
    if rules.bounds is not None and not rules.bounds[0] <= value <= rules.bounds[1]:
        return f"{name} is {value:g}, outside the bounds {rules.bounds[0]:g} to {rules.bounds[1]:g}"
    return value


def _find_metric(parts: AnswerParts, name: str) -> float | str:
    """Return a metric as a finite number, or why there is none."""
    value = parts.metrics.get(name)
    if not isinstance(value, int | float):
        known = ", ".join(clean_name(each) for each in parts.metrics) or "none"
        return f"there is no number {name!r} among the metrics: {known}"
    number = to_float(value)
    return number if math.isfinite(number) else f"{name} is {number}"


def _say_what_there_is(parts: AnswerParts) -> str:
    numbers = [clean_name(name) for name, value in parts.metrics.items() if is_number(value)]
    if not numbers:
        return "the evaluator gave no number"
    return f"none of {', '.join(numbers)} is called combined_score or score; --metric says which one counts"


def _finite(
    values: Mapping[object, object] | Mapping[str, float], *, most: int = MOST_METRICS
) -> FrozenDict[str, float]:
    numbers = {
        clean_name(name): to_float(value)
        for name, value in list(values.items())[:most]
        if isinstance(value, int | float)
    }
    return FrozenDict({name: value for name, value in numbers.items() if math.isfinite(value)})
