"""Answers in GEPA's style: a score, or a score and side information, for each example if there are examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from evograft_program.answers.decoding import MetricsAndArtifacts
from evograft_program.answers.fitness import find_named_fitness, to_float
from evograft_program.answers.parts import AnswerParts, Said, list_said, take_kept
from evograft_program.answers.results import COMBINED, StageFailure, as_dict, to_result
from evograft_program.options import ScoreRules

OBJECTIVES = "scores"
"""The entry of side information that holds objectives."""


def read_examples(answer: object, _: ScoreRules) -> AnswerParts:
    """Take apart what was returned: one answer, or a list with one for each example."""
    if not isinstance(answer, list):
        return _join([to_result(answer)], has_examples=False)
    if not answer:
        return AnswerParts(reason="there was no example to evaluate")
    return _join([to_result(each) for each in answer], has_examples=True)


def _join(results: Sequence[MetricsAndArtifacts | StageFailure], *, has_examples: bool) -> AnswerParts:
    found: list[MetricsAndArtifacts] = []
    for result in results:
        if isinstance(result, StageFailure):
            return AnswerParts.of_failure(result)
        found.append(result)
    scores = [find_named_fitness(result.metrics) for result in found]
    known = [score for score in scores if score is not None]
    return AnswerParts(
        metrics=_find_means(_numbers_of(result) for result in found),
        fitness=sum(known) / len(known) if len(known) == len(found) else None,
        said=_say(found, known) if has_examples else _say_one(found[0]),
        objectives=_find_means(as_dict(result.artifacts.get(OBJECTIVES)) for result in found),
        cases={str(number): score for number, score in enumerate(known)} if has_examples else {},
        kept=next((kept for result in found if (kept := take_kept(result.artifacts))), b""),
    )


def _numbers_of(result: MetricsAndArtifacts) -> dict[object, object]:
    return {name: value for name, value in (result.metrics | result.artifacts).items() if name != COMBINED}


def _find_means(examples: Iterable[Mapping[object, object]]) -> dict[object, object]:
    """Return the mean of each number over the examples that have it."""
    values: dict[object, list[float]] = defaultdict(list)
    for example in examples:
        for name, value in example.items():
            if isinstance(value, int | float):
                values[name].append(to_float(value))
    return {name: sum(each) / len(each) for name, each in values.items()}


def _say(results: Sequence[MetricsAndArtifacts], scores: Sequence[float]) -> Said:
    """Say what there is about each example, the worst first: what is cut is about those that went well."""
    order = sorted(range(len(scores)), key=lambda number: scores[number])
    return tuple(
        (f"example {number}, {name}" if name else f"example {number}", value)
        for number in order
        for name, value in (("score", scores[number]), *_say_one(results[number]))
    )


def _say_one(result: MetricsAndArtifacts) -> Said:
    texts = {name: value for name, value in (result.metrics | result.artifacts).items() if name != OBJECTIVES}
    return tuple((name, value) for name, value in list_said(texts) if not isinstance(value, int | float))
