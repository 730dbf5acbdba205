"""A study: the search for bounds, the search for graphs that violate them, and what is left of both."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from evograft_graph_invariant.conjectures.bounds.dalmatian import RankedBound
from evograft_graph_invariant.conjectures.bounds.inequality import Inequality, find_violated
from evograft_graph_invariant.conjectures.conjecture import Conjecture, describe, drop_implied
from evograft_graph_invariant.conjectures.engine import ConjectureOptions, ConjectureSearch
from evograft_graph_invariant.conjectures.invariants.properties import compute_properties
from evograft_graph_invariant.conjectures.pools.files import read_stacks
from evograft_graph_invariant.conjectures.pools.stack import GraphStack
from evograft_graph_invariant.conjectures.refutation.neighborhood import NeighborhoodSearch
from evograft_graph_invariant.conjectures.table import InvariantTable, compute_invariants, find_common, tabulate
from evograft_graph_invariant.conjectures.theorems.implication import find_premises, load_theorems

ATTACKS = 4
"""Times that what was found is attacked from outside the table, and searched again."""
ATTACKED_BETWEEN_NOTES = 50
"""Bounds between two lines of progress."""
MOST_FED = 3
"""Graphs of a file that are fed back for a bound."""


@dataclass
class ConjectureStudyResult:
    """All conjectures of a study, ranked, and what became of the others."""

    conjectures: list[Conjecture]
    refuted: dict[str, str]
    """Statements of bounds that a graph violates, with that graph as graph6."""
    graphs: dict[str, int]
    """The graphs of the table, by their kind."""
    seed: int
    is_complete: bool = True
    """Whether the search came to its end; otherwise the user interrupted it, and not all bounds were attacked."""

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            "seed": self.seed,
            "complete": self.is_complete,
            "graphs": self.graphs,
            "conjectures": [each.to_json() for each in self.conjectures],
            "refuted": [{"statement": statement, "graph": graph} for statement, graph in self.refuted.items()],
        }


@dataclass
class ConjectureStudy:
    """A search with its attacks."""

    table: InvariantTable
    options: ConjectureOptions
    budget: int = 300
    """Graphs that the search for counterexamples draws for each bound and number of nodes; 0: no search."""
    files: Sequence[Path] = ()
    """Graphs of the user's that bounds are tried on."""
    seed: int = 0
    note: Callable[[str], None] = lambda _: None
    searched: dict[Inequality, dict[str, int]] = field(default_factory=dict)
    """The graphs that were looked at for each bound."""
    from_files: dict[Inequality, Counter[str]] = field(default_factory=dict)

    def run(self) -> ConjectureStudyResult:
        """Search, attack, and search again until nothing new is refuted, or the user interrupts."""
        search = ConjectureSearch(self.table, self.options, self.note)
        is_complete = True
        try:
            self._run(search)
        except KeyboardInterrupt:
            is_complete = False
            self.note("interrupted: what was found so far follows, not all of it attacked; again Ctrl-C ends at once")
        sound = [bound for bound in search.collect() if bound.inequality not in search.refuted]
        return self._conclude(sound, search, is_complete=is_complete)

    def judge(self, bounds: Iterable[Inequality]) -> ConjectureStudyResult:
        """Attack given bounds, and return those that are not refuted and complement one another."""
        search = ConjectureSearch(self.table, self.options, self.note)
        kept = search.choose(bounds)
        while self._attack(kept, search):
            kept = search.choose()
        return self._conclude(kept, search, is_complete=True)

    def _run(self, search: ConjectureSearch) -> None:
        bounds = search.run()
        for _ in range(ATTACKS):
            if not self._attack(bounds, search):
                break
            bounds = search.run()

    def _attack(self, bounds: Sequence[RankedBound], search: ConjectureSearch) -> int:
        """Return how many bounds were refuted by the user's graphs and by searches."""
        before = len(search.refuted)
        fresh = [bound.inequality for bound in bounds if bound.inequality not in self.searched]
        self._try_files(fresh, search)
        known = [each.inequality for each in load_theorems()]
        for place, inequality in enumerate(fresh):
            if place and place % ATTACKED_BETWEEN_NOTES == 0:
                self.note(f"attacked {place} of {len(fresh)} bounds: {len(search.refuted) - before} refuted")
            self.searched[inequality] = {}
            # A graph that was found for another bound may violate this one, too.
            if self.budget and search.holds(inequality) and find_premises(inequality, known) is None:
                self._search(inequality, search)
        refuted = len(search.refuted) - before
        self.note(f"attacked all {len(fresh)} bounds: {refuted} refuted")
        return refuted

    def _search(self, inequality: Inequality, search: ConjectureSearch) -> None:
        digest = hashlib.sha256(f"{inequality.statement} {inequality.hypothesis}".encode()).digest()
        rng = np.random.default_rng([self.seed, int.from_bytes(digest[:8])])
        outcome = NeighborhoodSearch(inequality, rng, budget=self.budget).run()
        self.searched[inequality] = outcome.looked_at
        if outcome.counterexample is not None:
            search.feed(outcome.counterexample, inequality)

    def _try_files(self, inequalities: Sequence[Inequality], search: ConjectureSearch) -> None:
        if not inequalities:
            return
        for path in self.files:
            for stack in read_stacks(path):
                self._try_stack(stack, inequalities, search)

    def _try_stack(self, stack: GraphStack, inequalities: Sequence[Inequality], search: ConjectureSearch) -> None:
        """Compute what the inequalities need and nothing else: a file may hold millions of graphs."""
        columns = compute_invariants(
            stack.adjacency, sorted({name for each in inequalities for name in each.invariants})
        )
        flags = compute_properties(
            stack.adjacency, tuple(sorted({h for each in inequalities for h in each.hypothesis}))
        )
        for inequality in inequalities:
            rows = find_common(flags, inequality.hypothesis, len(stack))
            self.from_files.setdefault(inequality, Counter())[stack.kind] += int(rows.sum())
            wrong = np.flatnonzero(find_violated(inequality.compute_slack(columns)) & rows)[:MOST_FED]
            if len(wrong) and inequality not in search.refuted:
                search.feed(tabulate(GraphStack(stack.kind, stack.adjacency[wrong])), inequality)

    def _conclude(
        self, bounds: Sequence[RankedBound], search: ConjectureSearch, *, is_complete: bool
    ) -> ConjectureStudyResult:
        theorems = load_theorems()
        described = []
        for bound in bounds:
            found = describe(bound.inequality, search.table, theorems, self.searched.get(bound.inequality, {}))
            found.tried.update(self.from_files.get(bound.inequality, {}))
            described.append(found)
        ranked = sorted(described, key=lambda each: (-each.touches, each.inequality.complexity))
        return ConjectureStudyResult(
            drop_implied(ranked, theorems),
            {_name(inequality): graph for inequality, graph in search.refuted.items()},
            dict(Counter(map(str, search.table.kinds))),
            self.seed,
            is_complete,
        )


def _name(inequality: Inequality) -> str:
    return inequality.statement + (f" for {', '.join(inequality.hypothesis)}" if inequality.hypothesis else "")
