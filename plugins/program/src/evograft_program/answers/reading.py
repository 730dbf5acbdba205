"""Answers of evaluators, read by the rules of their style. Whatever one says, there is an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evograft_hookspecs import Evaluation
from evograft_program.answers.examples import read_examples
from evograft_program.answers.fitness import find_named_fitness
from evograft_program.answers.modules import read_stages
from evograft_program.answers.output import read_output
from evograft_program.answers.parts import AnswerParts, build_evaluation, find_only_error, list_said, take_kept
from evograft_program.answers.result_files import read_result_files
from evograft_program.answers.results import StageFailure, to_result
from evograft_program.options import EvaluatorStyle, ScoreRules


def read_answer(style: EvaluatorStyle, answer: object, rules: ScoreRules) -> Evaluation:
    """Return what an answer says about a candidate: `ok` with a score, or `rejected` with the reason.

    Args:
        style: of the evaluator.
        answer: for `openevolve` the stages that were run, as pairs of name and answer; for `shinka` a mapping of
            `metrics` and `correct` to the contents of those files; for `gepa` what was returned, as a list if there
            are examples; for `function` what was returned; for `container` and `command` the text of stdout. Where an
            evaluation failed, a `StageFailure` stands in the place of what was returned.
        rules: how the answer becomes a score.
    """
    if isinstance(answer, StageFailure):
        return build_evaluation(AnswerParts.of_failure(answer), rules)
    return build_evaluation(_READERS[style](answer, rules), rules)


def _read_function(answer: object, rules: ScoreRules) -> AnswerParts:
    result = to_result(answer)
    if isinstance(result, StageFailure):
        return AnswerParts.of_failure(result)
    return AnswerParts(
        metrics=result.metrics,
        fitness=find_named_fitness(result.metrics),
        reason=find_only_error(result, rules),
        said=list_said(result.artifacts),
        features=rules.feature_dimensions,
        kept=take_kept(result.artifacts),
    )


_READERS: Mapping[EvaluatorStyle, Callable[[object, ScoreRules], AnswerParts]] = {
    EvaluatorStyle.OPENEVOLVE: read_stages,
    EvaluatorStyle.SHINKA: read_result_files,
    EvaluatorStyle.GEPA: read_examples,
    EvaluatorStyle.FUNCTION: _read_function,
    EvaluatorStyle.CONTAINER: read_output,
    EvaluatorStyle.COMMAND: read_output,
}
