"""The context of one run: the table of graphs, with what proposes and evaluates candidates on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.evolution.evaluator import InequalityEvaluator
from evograft_graph_invariant.conjectures.evolution.notation import read_candidate, write_candidate
from evograft_graph_invariant.conjectures.evolution.options import InequalityOptions
from evograft_graph_invariant.conjectures.evolution.problem import KIND
from evograft_graph_invariant.conjectures.evolution.proposer import BoundProposer
from evograft_graph_invariant.conjectures.pools.stack import GraphStack, decode_graph6
from evograft_graph_invariant.conjectures.refutation.neighborhood import SEARCHED
from evograft_graph_invariant.conjectures.table import InvariantTable, concatenate, load_table, tabulate
from evograft_graph_invariant.conjectures.theorems.implication import load_theorems
from evograft_graph_invariant.graphs.cache import get_cache_folder
from evograft_hookspecs import Candidate, CandidateRejected, Context, Evaluation, Proposal, Trial

REMEMBERED = 1000
"""The newest trials that are not made a second time, and whose counterexamples bounds are fitted to."""
PARENTS = 2
LINEAR = "graph_conjecture.linear"


@dataclass(frozen=True)
class ConjectureContext:
    """A table with its evaluator; safe to be used from several threads, because nothing in it changes."""

    options: InequalityOptions
    table: InvariantTable
    evaluator: InequalityEvaluator

    @classmethod
    def load(cls, options: InequalityOptions) -> Self:
        table = load_table(options.order, options.trees, folder=get_cache_folder() if options.cache else None)
        return cls(options, table, InequalityEvaluator(table, options, load_theorems()))

    def evaluate(self, candidate: Candidate, *, final: bool) -> Evaluation:
        inequality = read_candidate(_get_text(candidate), self.options)
        return self.evaluator.evaluate_finally(inequality) if final else self.evaluator.evaluate(inequality)

    def make_candidate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        """Carry out one of the plugin's operators.

        Raises:
            CandidateRejected: nothing new was found.
        """
        latest = ctx.history.latest(REMEMBERED)
        used = [trial for trial in parents[:PARENTS] if trial.score is not None]
        proposer = BoundProposer(self.add_counterexamples(latest), self.options)
        search = proposer.fit_linear if proposal.operator == LINEAR else proposer.find_product
        found = search(ctx.rng, list(self.read(used)), frozenset(self.read(latest)))
        if found is None:
            raise CandidateRejected("found no other bound that holds on all graphs")
        return Candidate.of(
            write_candidate(found),
            kind=KIND,
            operator=proposal.operator,
            trial=ctx.trial or 0,
            parents=tuple(trial.number for trial in used),
        )

    def add_counterexamples(self, trials: Iterable[Trial]) -> InvariantTable:
        """Return the table with the graphs that have refuted earlier candidates."""
        in_table = frozenset(map(str, self.table.graphs))
        codes = {str(trial.evaluation.details.get("counterexample", "")) for trial in trials} - {""}
        return concatenate([self.table, *map(_tabulate, sorted(codes - in_table))])

    def read(self, trials: Iterable[Trial]) -> Iterator[Inequality]:
        """Yield the bounds of trials, without those that are not in the grammar."""
        for trial in trials:
            if trial.candidate is not None:
                try:
                    yield read_candidate(_get_text(trial.candidate), self.options)
                except CandidateRejected:
                    continue  # a model may have written it: it is in no candidate's way


@lru_cache(maxsize=1000)
def _tabulate(code: str) -> InvariantTable:
    return tabulate(GraphStack(SEARCHED, decode_graph6([code.encode()])))


def _get_text(candidate: Candidate) -> str:
    if len(candidate.files) != 1:
        raise CandidateRejected("a candidate is one file with one inequality")
    return candidate.source
