"""Constrained generation as the plugin's hooks carry it out."""

from __future__ import annotations

from evograft_graph_invariant.constrained.check import require_pool
from evograft_graph_invariant.constrained.fallback_budget import Till
from evograft_graph_invariant.constrained.marks import CONSTRAINED, Mark
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.constrained.prompt import (
    constraint,
    read_program,
    request_for,
    shown_advice,
    with_full_advice,
)
from evograft_graph_invariant.constrained.stagnation import Droughts
from evograft_hookspecs import (
    Candidate,
    CandidateRejected,
    Context,
    History,
    LlmAnswer,
    LlmRefused,
    LlmRequest,
    Problem,
    Proposal,
    Selection,
    Trial,
)

ALONE = 1e15
"""A weight beside which all other proposals count for nothing."""

FEW = 2
"""Trials that are looked at first: mostly one is new."""


class Constraining:
    """What is remembered of a run. `offer` is called in the order of trials; the rest keeps no state of the search.

    Args:
        options: when and how.
        statement: the task, without anything that the pool forbids.
    """

    def __init__(self, options: FallbackOptions, statement: str) -> None:
        self._options = options
        self._statement = statement
        self._droughts: Droughts | None = None
        self._told: set[int] = set()
        self.till = Till(options)

    def offer(self, ctx: Context, selection: Selection) -> Proposal | None:
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
        if drought.use and self._is_affordable(ctx, offered):
            return offered.model_copy(update={"model": self._options.model})
        return offered

    def _is_affordable(self, ctx: Context, offered: Proposal) -> bool:
        most = request_for(self._statement, with_full_advice(offered), self._options)
        return self.till.is_granted(ctx, most, attempt=0)

    def write(self, ctx: Context, problem: Problem, proposal: Proposal) -> Candidate:
        """Lets the trial's model write a program, or mend the one that it wrote.

        Raises:
            CandidateRejected: there is nothing to mend, no answer, or no program of the pool in it.
        """
        mark = Mark.read(proposal)
        if mark is None:
            raise CandidateRejected("only answers of a model are mended")
        request = request_for(self._statement, proposal, self._options)
        try:
            if mark.use and proposal.model == self._options.model:
                answer = self._ask_fallback_model(ctx, request, attempt=len(proposal.failed))
            else:
                answer = ctx.llm.complete(request)
        except LlmRefused as err:
            raise CandidateRejected(f"the model refused the request: {' '.join(str(err).split())}") from err
        source = read_program(answer.text)
        require_pool(source)
        made = Candidate.of(source, kind=problem.kind, operator=proposal.operator, trial=ctx.trial or 0)
        return made.model_copy(update={"used_advice": tuple(each.id for each in shown_advice(proposal))})

    def _ask_fallback_model(self, ctx: Context, request: LlmRequest, *, attempt: int) -> LlmAnswer:
        """The answer of the fallback model, or, where it gives none, that of the run's usual one."""
        try:
            return self.till.ask(ctx, request, attempt=attempt)
        except LlmRefused:
            if not self.till.usual_model:
                raise
        return ctx.llm.complete(request.model_copy(update={"model": self.till.usual_model}))

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
