"""What a command that is over says about a candidate."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from evograft_hookspecs import CommandResult, Evaluation
from evograft_program.answers.feedback import cut_middle
from evograft_program.answers.reading import read_answer
from evograft_program.answers.results import StageFailure
from evograft_program.evaluation.failures import (
    NOT_RUN,
    EvaluatorFailed,
    RaisedError,
    explain_exit,
    explain_limit,
    find_last_line,
)
from evograft_program.evaluation.messages import AnswerForged, WorkerMessage, read_messages
from evograft_program.options import IN_PYTHON, EvaluatorStyle, ProgramOptions
from evograft_program.worker.request import CANDIDATE, WORKING_FOLDER


def read_result(result: CommandResult, token: str, options: ProgramOptions) -> Evaluation:
    """Return what became of a candidate.

    Raises:
        EvaluatorFailed: the evaluator seems to be at fault.
    """
    read = _read_messages if options.evaluator.style in IN_PYTHON else _read_output
    try:
        evaluation = read(result, token, options)
    except AnswerForged as err:
        evaluation = Evaluation.rejected(str(err))
    return _with_costs(_with_output(evaluation, result), result)


def _read_output(result: CommandResult, _: str, options: ProgramOptions) -> Evaluation:
    """Read what a command printed; one that failed has no answer, whatever it printed."""
    answer: str | StageFailure = result.stdout.decode(errors="replace")
    if result.limit:
        answer = explain_limit(result, options.limits)
    elif result.exit_code in NOT_RUN:
        said = find_last_line(result.stderr) or f"exit code {result.exit_code}"
        raise EvaluatorFailed(f"{options.evaluator.path!r} cannot be run: {said}")
    elif result.exit_code:
        answer = explain_exit(result, with_output=True)
    return read_answer(options.evaluator.style, answer, options.rules)


def _read_messages(result: CommandResult, token: str, options: ProgramOptions) -> Evaluation:
    messages = read_messages(result.stdout, token)
    evaluation = read_answer(options.evaluator.style, _find_answer(messages, result, options), options.rules)
    return _with_kept(evaluation, messages)


def _find_answer(messages: Sequence[WorkerMessage], result: CommandResult, options: ProgramOptions) -> object:
    """Return what the evaluator returned, or why it did not; of stages, each with its name."""
    values: list[tuple[str, object]] = [(each.stage, each.value) for each in messages if each.type == "value"]
    failure = _find_failure(messages, result, options)
    if failure is not None:
        begun = [each.stage for each in messages if each.type == "stage"]
        failed = begun[-1] if begun else ""
        # A stage may have answered, and what was left of it did not let its process end.
        values = [*(each for each in values if each[0] != failed), (failed, failure)]
    return values if options.evaluator.style is EvaluatorStyle.OPENEVOLVE else values[-1][1]


def _find_failure(
    messages: Sequence[WorkerMessage], result: CommandResult, options: ProgramOptions
) -> StageFailure | None:
    ended = next((each for each in messages if each.type in ("error", "time-out")), None)
    if ended is None and result.limit:
        return explain_limit(result, options.limits)
    if not messages:
        said = explain_exit(result, with_output=True)
        raise EvaluatorFailed(f"{said.reason}, before the evaluator was called")
    if ended is None:
        return None if any(each.type == "value" for each in messages) else explain_exit(result)
    if ended.type == "time-out":
        return StageFailure(f"time-out: no answer after {options.limits.seconds:g} seconds", is_timeout=True)
    folders = (options.task.folder, CANDIDATE, WORKING_FOLDER)
    error = RaisedError.read(ended.fields)
    was_called = messages[0].type == "stage"
    if error.is_evaluators(options.task.folder) or not was_called:
        raise EvaluatorFailed(error.explain(folders), feedback=error.describe(folders))
    return StageFailure(error.explain(folders), feedback=error.describe(folders))


def _with_kept(evaluation: Evaluation, messages: Sequence[WorkerMessage]) -> Evaluation:
    """Add what lies in the candidate's folder; what the evaluator's artifacts hold goes before it.

    Raises:
        AnswerForged: it is not what the worker writes.
    """
    kept = next((each.fields.get("value") for each in messages if each.type == "kept"), None)
    if kept is None or evaluation.kept or evaluation.status != "ok":
        return evaluation
    try:
        return evaluation.model_copy(update={"kept": base64.b64decode(str(kept), validate=True)})
    except ValueError as err:
        raise AnswerForged(f"what is kept is not in base64: {err}") from err


def _with_output(evaluation: Evaluation, result: CommandResult) -> Evaluation:
    printed = cut_middle(result.stderr.decode(errors="replace").strip())
    if not printed:
        return evaluation
    said = f"{evaluation.feedback}\n\n" if evaluation.feedback else ""
    return evaluation.model_copy(update={"feedback": cut_middle(f"{said}It printed:\n{printed}")})


def _with_costs(evaluation: Evaluation, result: CommandResult) -> Evaluation:
    return evaluation.model_copy(
        update={"seconds": result.cpu_seconds, "durations": {"evaluating": result.wall_seconds}}
    )
