"""Answers that are printed: a number or a JSON object, or whatever holds a score that a pattern finds."""

from __future__ import annotations

import json
import re
from collections import deque

from evograft_program.answers.decoding import MetricsAndArtifacts
from evograft_program.answers.feedback import cut_middle, describe
from evograft_program.answers.fitness import find_named_fitness
from evograft_program.answers.parts import AnswerParts, find_only_error, list_said, take_kept
from evograft_program.answers.results import StageFailure, to_result
from evograft_program.options import ScoreRules

SHOWN = 4_000
"""Characters of an output that are shown where no score is found in it."""
METRICS = "metrics"
STATUS = "status"
FAILED = ("error", "timeout", "failed")
"""What a container says of an evaluation that did not work out."""


def read_output(answer: object, rules: ScoreRules) -> AnswerParts:
    """Take apart the text of stdout."""
    text = describe(answer)
    if rules.pattern:
        return _find_pattern(text, rules.pattern)
    data = _parse(text)
    result = _from_object(data) if isinstance(data, dict) else to_result(data)
    if isinstance(result, StageFailure) or not isinstance(data, dict | int | float) or isinstance(data, bool):
        return _without_score("the last line of the output is neither a number nor a JSON object", text)
    fitness = find_named_fitness(result.metrics)
    return AnswerParts(
        metrics=result.metrics,
        fitness=fitness,
        reason=_find_failure(data, fitness) or find_only_error(result, rules),
        said=list_said(result.artifacts),
        features=rules.feature_dimensions,
        kept=take_kept(result.artifacts),
    )


def _find_pattern(text: str, pattern: str) -> AnswerParts:
    """Take the last match: programs print what they are at before what they have reached."""
    matches = deque(re.finditer(pattern, text), maxlen=1)
    if not matches:
        return _without_score(f"the output has nothing that matches {pattern}", text)
    group = matches[0].group(1)
    try:
        return AnswerParts(fitness=float(group))
    except (TypeError, ValueError):
        return _without_score(f"{group!r} in the output is not a number", text)


def _without_score(reason: str, text: str) -> AnswerParts:
    return AnswerParts(reason=reason, said=(("output", cut_middle(text.strip(), SHOWN)),))


def _parse(text: str) -> object:
    """Return what the whole text is in JSON, else what its last line is; `None`: neither is JSON."""
    lines = text.strip().splitlines()
    for part in (text, *lines[-1:]):
        try:
            return json.loads(part)
        except (ValueError, RecursionError):
            continue
    return _as_number(lines[-1]) if lines else None


def _as_number(line: str) -> float | None:
    """Return a number that is no JSON, such as `.5` or `inf`."""
    try:
        return float(line)
    except ValueError:
        return None


def _from_object(data: dict[object, object]) -> MetricsAndArtifacts | StageFailure:
    """Return an object as metrics; those of a container are in an entry of that name, beside `combined_score`."""
    inner = data.get(METRICS)
    if not isinstance(inner, dict):
        return to_result(data)
    outer = {name: value for name, value in data.items() if name not in (METRICS, STATUS)}
    return to_result({**outer, **inner})


def _find_failure(data: object, fitness: float | None) -> str:
    """Return why a container rejects a candidate.

    Some say `error` next to a score that counts, for any remark of their evaluator; a score of 0 is not one.
    """
    if not isinstance(data, dict) or data.get(STATUS) not in FAILED or fitness:
        return ""
    artifacts = data.get("artifacts")
    said = artifacts.get("error") if isinstance(artifacts, dict) else None
    return f"{data[STATUS]}: {describe(said)}" if said else f"the evaluator says {data[STATUS]}"
