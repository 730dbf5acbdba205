"""Answers of modules in OpenEvolve's style: dicts of metrics, from one function or from the stages of a cascade."""

from __future__ import annotations

from evograft_program.answers.fitness import find_mean_fitness
from evograft_program.answers.merging import merge_stages
from evograft_program.answers.parts import AnswerParts, find_only_error, list_said, take_kept
from evograft_program.answers.results import StageFailure
from evograft_program.options import ScoreRules

OPENEVOLVE_FEATURES = ("complexity", "diversity")
"""What OpenEvolve takes for feature dimensions where its configuration says nothing."""


def read_stages(answer: object, rules: ScoreRules) -> AnswerParts:
    """Take apart the answers of all stages that were run, as pairs of name and answer."""
    stages = [_named(stage) for stage in answer] if isinstance(answer, list) else [("", answer)]
    result = merge_stages(stages)
    if isinstance(result, StageFailure):
        return AnswerParts.of_failure(result)
    features = rules.feature_dimensions or OPENEVOLVE_FEATURES
    return AnswerParts(
        metrics=result.metrics,
        fitness=find_mean_fitness(result.metrics, features),
        reason=find_only_error(result, rules),
        said=list_said(result.artifacts),
        features=features,
        kept=take_kept(result.artifacts),
        stage=stages[-1][0],
    )


def _named(stage: object) -> tuple[str, object]:
    match stage:
        case (str() as name, value):
            return name, value
    return "", stage
