"""What `mutate` gets as `ctx.evaluation`: evaluations of candidates that are not finished yet."""

from __future__ import annotations

from typing import Protocol

from evograft_hookspecs.types import Candidate, Evaluation


class EvaluationService(Protocol):
    """What `mutate` gets as `ctx.evaluation`, for an operator that measures before it decides."""

    def evaluate(self, candidate: Candidate) -> Evaluation:
        """Return the evaluation of a candidate by the plugin that owns `evaluate`; a rejected one is an answer too.

        It is logged before it is returned, so a run that is resumed or replayed has the same one, and counts in the
        budget with the trial at hand. Its seed is not that of the trial's own evaluation, which follows in any case:
        the best of several is otherwise the luckiest. Waiting does not count against the deadline of the call. An
        evaluator that fails ends the run: the hook that asked does not continue.

        Raises:
            RuntimeError: the hook is not `mutate`.
        """


class NoEvaluation:
    """The service of a context in which nothing can be evaluated."""

    def evaluate(self, candidate: Candidate) -> Evaluation:  # noqa: ARG002 - the protocol's
        raise RuntimeError("candidates can be evaluated in mutate only")
