"""Money for the fallback model.

A tool asks for it, so that what the month's ledger says is in the log before it is used.
"""

from __future__ import annotations

from contextlib import suppress

from pydantic import ValidationError

from evograft_graph_invariant.constrained.ledger_file import NotGranted
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.constrained.run_allowance import RunAllowance
from evograft_hookspecs import (
    CandidateRejected,
    Context,
    FrozenDict,
    LlmAnswer,
    LlmRefused,
    LlmRequest,
    RunStarted,
    ToolCall,
    ToolResult,
    Usage,
    Value,
)
from evograft_hookspecs.values import Count, Name, thaw

RESERVE = "reserve_fallback"


class ReservationRequest(Value):
    """The arguments of the tool."""

    attempt: Count
    """0: the trial's first call; 1 and more: repairs."""
    model: Name
    prompt_tokens: Count
    """The most there can be."""
    completion_tokens: Count


class FallbackBudget:
    """The money for calls of a run's fallback model. For any thread."""

    def __init__(self, options: FallbackOptions) -> None:
        self._options = options
        self._allowance: RunAllowance | None = None

    def open(self, started: RunStarted) -> None:
        """Take note of a session that begins, and of what its models cost."""
        self._allowance = RunAllowance.of(started, self._options.month_dollars)

    @property
    def usual_model(self) -> str:
        """What is asked where the fallback model gives no answer; empty: there is nothing."""
        return self._allowance.usual_model if self._allowance else ""

    def is_granted(self, ctx: Context, request: LlmRequest, *, attempt: int) -> bool:
        """Return whether a call may be made: 0 is a trial's first, 1 and more are repairs."""
        from evograft.api import upper_bound

        bound = upper_bound(request)
        arguments = ReservationRequest(
            attempt=attempt,
            model=self._options.model,
            prompt_tokens=bound.prompt_tokens,
            completion_tokens=bound.completion_tokens,
        )
        call = ToolCall(id=f"{RESERVE}-{attempt}", tool=RESERVE, arguments=FrozenDict(arguments.model_dump()))
        return ctx.tools.call(call).ok

    def reserve(self, ctx: Context, call: ToolCall) -> ToolResult:
        """Carry out the tool: set the most that a call may cost aside, in a file that all runs share."""
        if self._allowance is None or ctx.trial is None:
            return ToolResult(
                ok=False, content="money is set aside for trials of a session that has begun, and for no others"
            )
        try:
            wanted = ReservationRequest.model_validate(thaw(call.arguments))
            if wanted.model != self._options.model:
                return ToolResult(ok=False, content=f"{wanted.model!r} is not the fallback model")
            bound = Usage(prompt_tokens=wanted.prompt_tokens, completion_tokens=wanted.completion_tokens)
            dollars = self._allowance.reserve(_call(ctx, wanted.attempt), wanted.model, bound)
        except ValidationError as err:
            return ToolResult(ok=False, content=f"wrong arguments: {err.errors()[0]['msg']}")
        except NotGranted as err:
            return ToolResult(ok=False, content=str(err))
        return ToolResult(ok=True, content=f"{dollars:.4f} dollars are set aside")

    def ask(self, ctx: Context, request: LlmRequest, *, attempt: int) -> LlmAnswer:
        """Ask the fallback model, and pay. The first call of a trial was granted when it was proposed.

        Raises:
            CandidateRejected: there is no money for a call that mends.
            LlmRefused: there is no answer.
        """
        if attempt and not self.is_granted(ctx, request, attempt=attempt):
            raise CandidateRejected("the month's money does not cover a call that mends")
        try:
            answer = ctx.llm.complete(request)
        except LlmRefused as err:
            self._settle(ctx, attempt, err.usage)
            raise
        self._settle(ctx, attempt, answer.usage, answer.charged)
        return answer

    def _settle(self, ctx: Context, attempt: int, *usages: Usage | None) -> None:
        """Put what the requests of a call have cost in place of what was set aside for it, as far as that is known."""
        costs = [_dollars(usage) for usage in usages]
        known = [cost for cost in costs if cost is not None]
        # What was set aside stays so, which errs on the safe side; a file that is damaged grants nothing any more.
        with suppress(NotGranted):
            if self._allowance is not None and len(known) == len(costs):
                self._allowance.settle(_call(ctx, attempt), sum(known))


def _dollars(usage: Usage | None) -> float | None:
    """Return what requests have cost; `None`: it is unknown."""
    if usage is None:
        return None
    return usage.dollars if usage.prompt_tokens or usage.completion_tokens else 0.0


def _call(ctx: Context, attempt: int) -> str:
    return f"{ctx.trial}/{attempt}"
