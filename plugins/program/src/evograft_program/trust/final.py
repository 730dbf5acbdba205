"""The evaluation at the end, with data or seeds that no choice depended on."""

from __future__ import annotations

from evograft.text.escapes import one_line
from evograft_hookspecs import Evaluation, SandboxLost
from evograft_program.evaluation.failures import EvaluatorFailed
from evograft_program.options import TrustOptions
from evograft_program.trust.repeats import RepeatPlan, SingleEvaluation, carry_out
from evograft_program.trust.summary import describe_mean, prepend_feedback, summarise


def evaluate_at_end(evaluate: SingleEvaluation, trust: TrustOptions) -> Evaluation:
    """Return the final evaluation of the best candidate, in clean processes and with seeds of its own.

    The search is over: an evaluator that fails now must not take its result with it.
    """
    plan = RepeatPlan(trust.repeat, first_seed=trust.repeat + trust.confirm, clean=True)
    try:
        repeats = carry_out(evaluate, plan)
    except (EvaluatorFailed, SandboxLost) as err:
        name = trust.final or "the evaluator"
        return Evaluation(status="failed", reason=one_line(f"{name} failed at the end: {err}"))
    if repeats.failure is not None:
        return repeats.fail()
    summary = summarise(repeats.done)
    return summary if trust.repeat == 1 else prepend_feedback(summary, describe_mean(repeats.scores))
