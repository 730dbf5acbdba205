"""Constrained generation as the plugin's hooks carry it out."""

from __future__ import annotations

from contextlib import suppress

from pydantic import ValidationError

from evograft_graph_invariant.fallbacks.asking import constraint, read_program, request_for
from evograft_graph_invariant.fallbacks.droughts import Droughts
from evograft_graph_invariant.fallbacks.ledger import NotGranted
from evograft_graph_invariant.fallbacks.marks import CONSTRAINED, Mark
from evograft_graph_invariant.fallbacks.options import FallbackOptions
from evograft_graph_invariant.fallbacks.purse import Purse
from evograft_hookspecs import (
    Candidate,
    CandidateRejected,
    Context,
    FrozenDict,
    History,
    LlmRefused,
    LlmRequest,
    Problem,
    Proposal,
    RunStarted,
    Selection,
    ToolCall,
    ToolResult,
    Trial,
    Usage,
    Value,
)
from evograft_hookspecs.values import Count, Name, thaw

RESERVE = "reserve_fallback"
"""The tool that asks for the month's money. What it says is in the log, so a resumed run is told the same again."""

ALONE = 1e15
"""A weight beside which all other proposals count for nothing."""


FEW = 2
"""Trials that are looked at first: mostly one is new."""


class Reservation(Value):
    """The arguments of the tool."""

    attempt: Count
    """0: the trial's first call; 1 and more: calls that mend."""
    model: Name
    prompt_tokens: Count
    """The most there can be."""
    completion_tokens: Count


class Constraining:
    """What is remembered of a run. `offer` is called in the order of trials; the rest keeps no state of the search."""

    def __init__(self, options: FallbackOptions) -> None:
        self._options = options
        self._droughts: Droughts | None = None
        self._told: set[int] = set()
        self._purse: Purse | None = None

    def start(self, started: RunStarted) -> None:
        """A session begins."""
        self._purse = Purse.of(started, self._options.month_dollars)

    # -- propose ------------------------------------------------------------------------------------------------------

    def offer(self, ctx: Context, problem: Problem, selection: Selection) -> Proposal | None:
        """The one thing to do on an island that ran dry; `None`: this one did not."""
        drought = self._catch_up(ctx).of(selection.island, selection.strategy)
        if not drought.is_constrained:
            return None
        if not ctx.llm.available:
            return Proposal(id=Mark(0, selection.temperature).id, operator=CONSTRAINED, weight=ALONE)
        offered = Proposal(
            id=Mark(drought.use, selection.temperature).id,
            operator=CONSTRAINED,
            instruction=constraint(self._options.language),
            weight=ALONE,
        )
        if drought.use and self._is_granted(ctx, request_for(problem, offered, self._options), attempt=0):
            return offered.model_copy(update={"model": self._options.model})
        return offered

    def _catch_up(self, ctx: Context) -> Droughts:
        if self._droughts is None:
            self._droughts = Droughts(self._options, ctx.generation_size)
        for trial in self._untold(ctx.history):
            self._told.add(trial.number)
            self._droughts.tell(trial)
        return self._droughts

    def _untold(self, history: History) -> tuple[Trial, ...]:
        """What was committed since the last call, in order: the newest trials, from the first that was not told on."""
        count = FEW
        while True:
            latest = history.latest(count)
            if len(latest) < count or latest[0].number in self._told:
                return tuple(trial for trial in latest if trial.number not in self._told)
            count *= 2

    # -- mutate -------------------------------------------------------------------------------------------------------

    def write(self, ctx: Context, problem: Problem, proposal: Proposal) -> Candidate:
        """Lets the trial's model write a program, or mend the one that it wrote.

        Raises:
            CandidateRejected: there is nothing to mend, no answer, or no program in it.
        """
        mark = Mark.read(proposal)
        if mark is None:
            raise CandidateRejected("only answers of a model are mended")
        attempt = len(proposal.failed)
        request = request_for(problem, proposal, self._options)
        is_fallback = bool(mark.use) and proposal.model == self._options.model
        if is_fallback and attempt and not self._is_granted(ctx, request, attempt=attempt):
            raise CandidateRejected("the month's money does not cover a call that mends")
        try:
            answer = ctx.llm.complete(request)
        except LlmRefused as err:
            self._settle(ctx, attempt, 0.0 if is_fallback else None)
            raise CandidateRejected(f"the model refused the request: {' '.join(str(err).split())}") from err
        self._settle(ctx, attempt, answer.usage.dollars if is_fallback and answer.usage else None)
        return Candidate.of(
            read_program(answer.text), kind=problem.kind, operator=proposal.operator, trial=ctx.trial or 0
        )

    # -- money --------------------------------------------------------------------------------------------------------

    def reserve(self, ctx: Context, call: ToolCall) -> ToolResult:
        """The tool: sets the most that a call may cost aside, in a file that all runs share."""
        if self._purse is None:
            return ToolResult(ok=False, content="the session has not told its models' prices")
        try:
            wanted = Reservation.model_validate(thaw(call.arguments))
            if wanted.model != self._options.model:
                return ToolResult(ok=False, content=f"{wanted.model!r} is not the fallback model")
            bound = Usage(prompt_tokens=wanted.prompt_tokens, completion_tokens=wanted.completion_tokens)
            dollars = self._purse.reserve(_call(ctx, wanted.attempt), wanted.model, bound)
        except ValidationError as err:
            return ToolResult(ok=False, content=f"wrong arguments: {err.errors()[0]['msg']}")
        except NotGranted as err:
            return ToolResult(ok=False, content=str(err))
        return ToolResult(ok=True, content=f"{dollars:.4f} dollars are set aside")

    def _is_granted(self, ctx: Context, request: LlmRequest, *, attempt: int) -> bool:
        from evograft.llm.spending import upper_bound

        bound = upper_bound(request)
        arguments = Reservation(
            attempt=attempt,
            model=self._options.model,
            prompt_tokens=bound.prompt_tokens,
            completion_tokens=bound.completion_tokens,
        )
        call = ToolCall(id=f"{RESERVE}-{attempt}", tool=RESERVE, arguments=FrozenDict(arguments.model_dump()))
        return ctx.tools.call(call).ok

    def _settle(self, ctx: Context, attempt: int, dollars: float | None) -> None:
        if self._purse is None or dollars is None:
            return
        # What was set aside stays so, which errs on the safe side; a file that is damaged grants nothing any more.
        with suppress(NotGranted):
            self._purse.settle(_call(ctx, attempt), dollars)


def _call(ctx: Context, attempt: int) -> str:
    return f"{ctx.trial}/{attempt}"
