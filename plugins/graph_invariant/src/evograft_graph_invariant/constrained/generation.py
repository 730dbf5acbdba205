"""Constrained generation, as the plugin's hooks carry it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evograft_graph_invariant.constrained.check import require_allowed
from evograft_graph_invariant.constrained.fallback_budget import FallbackBudget
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.constrained.prompt import (
    build_request,
    extract_program,
    fill_advice,
    get_constraint,
    select_advice,
)
from evograft_graph_invariant.constrained.proposal_facts import CONSTRAINED, ProposalFacts
from evograft_graph_invariant.constrained.stagnation import StagnationTracker
from evograft_graph_invariant.graphs.vocabulary import get_columns_up_to
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

if TYPE_CHECKING:
    from evograft_graph_invariant.search.explorer import Explorer

ALONE = 1e15
"""A weight that leaves all other proposals no chance."""

FEW = 2
"""Trials that are looked at first: mostly one is new."""


CALLED = ("math.log",)
"""Functions of the pool, in addition to arithmetic and powers, of which the root is one. Sums, means and extremes of
the degrees are columns."""


def constrain_explorer(explorer: Explorer) -> Explorer:
    """Return the same search among what n, m and the degrees say: the pool, for generation without a model."""
    pool = frozenset(get_columns_up_to("degrees"))
    columns = {name: values for name, values in explorer.columns.items() if name in pool}
    return type(explorer)(explorer.objective, explorer.options, columns=columns, called=CALLED)


class ConstrainedGeneration:
    """Constrained generation in a run. `offer` is called in the order of trials; the rest keeps no state of the search.

    Args:
        options: when and how.
        statement: the task, without anything that the pool forbids.
    """

    def __init__(self, options: FallbackOptions, statement: str) -> None:
        self._options = options
        self._statement = statement
        self._stagnation: StagnationTracker | None = None
        self._seen: set[int] = set()
        self.budget = FallbackBudget(options)

    def offer(self, ctx: Context, selection: Selection) -> Proposal | None:
        """Return the only proposal for an island that stagnates; `None`: this one does not."""
        state = self._update_tracker(ctx).get_island(selection.island, selection.strategy)
        if not state.is_constrained:
            return None
        if not ctx.llm.available:
            data = ProposalFacts(0, selection.temperature).to_data()
            return Proposal(id=CONSTRAINED, operator=CONSTRAINED, data=data, weight=ALONE)
        offered = Proposal(
            id=CONSTRAINED,
            operator=CONSTRAINED,
            data=ProposalFacts(state.use, selection.temperature).to_data(),
            instruction=get_constraint(self._options.language),
            weight=ALONE,
        )
        if state.use and self._is_affordable(ctx, offered):
            return offered.model_copy(update={"model": self._options.model})
        return offered

    def _is_affordable(self, ctx: Context, offered: Proposal) -> bool:
        most = build_request(self._statement, fill_advice(offered), self._options)
        return self.budget.is_granted(ctx, most, attempt=0)

    def write(self, ctx: Context, problem: Problem, proposal: Proposal) -> Candidate:
        """Let the trial's model write a program, or repair the one that it wrote.

        Raises:
            CandidateRejected: there is nothing to mend, no answer, or no program of the pool in it.
        """
        facts = ProposalFacts.read(proposal)
        if facts is None:
            raise CandidateRejected("only answers of a model are mended")
        request = build_request(self._statement, proposal, self._options)
        try:
            if facts.use and proposal.model == self._options.model:
                answer = self._ask_fallback_model(ctx, request, attempt=len(proposal.failed))
            else:
                answer = ctx.llm.complete(request)
        except LlmRefused as err:
            raise CandidateRejected(f"the model refused the request: {' '.join(str(err).split())}") from err
        source = extract_program(answer.text)
        require_allowed(source)
        made = Candidate.of(source, kind=problem.kind, operator=proposal.operator, trial=ctx.trial or 0)
        return made.model_copy(update={"used_advice": tuple(each.id for each in select_advice(proposal))})

    def _ask_fallback_model(self, ctx: Context, request: LlmRequest, *, attempt: int) -> LlmAnswer:
        """Return the answer of the fallback model, or of the run's usual model if it gives none."""
        try:
            return self.budget.ask(ctx, request, attempt=attempt)
        except LlmRefused:
            if not self.budget.usual_model:
                raise
        return ctx.llm.complete(request.model_copy(update={"model": self.budget.usual_model}))

    def _update_tracker(self, ctx: Context) -> StagnationTracker:
        if self._stagnation is None:
            self._stagnation = StagnationTracker(self._options, ctx.generation_size)
        for trial in self._find_new_trials(ctx.history):
            self._seen.add(trial.number)
            self._stagnation.add(trial)
        return self._stagnation

    def _find_new_trials(self, history: History) -> tuple[Trial, ...]:
        """Return the trials committed since the last call, in order: the newest, from the first not counted yet."""
        count = FEW
        while True:
            latest = history.latest(count)
            if len(latest) < count or latest[0].number in self._seen:
                return tuple(trial for trial in latest if trial.number not in self._seen)
            count *= 2
