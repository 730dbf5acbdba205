"""The evaluation of an inequality: refuted by the smallest graph that violates it, or scored."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.bounds.dalmatian import BETTER
from evograft_graph_invariant.conjectures.bounds.inequality import Inequality, find_violated
from evograft_graph_invariant.conjectures.conjecture import describe
from evograft_graph_invariant.conjectures.evolution.notation import format_hypothesis
from evograft_graph_invariant.conjectures.evolution.options import InequalityOptions
from evograft_graph_invariant.conjectures.output.terminal import format_conjecture
from evograft_graph_invariant.conjectures.pools.enumeration import CONNECTED
from evograft_graph_invariant.conjectures.pools.stack import decode_graph6, to_graph
from evograft_graph_invariant.conjectures.refutation.neighborhood import ORDERS, NeighborhoodSearch
from evograft_graph_invariant.conjectures.table import InvariantTable
from evograft_graph_invariant.conjectures.theorems.implication import Theorem, is_applicable
from evograft_graph_invariant.graphs.features import Vector
from evograft_hookspecs import CandidateRejected, Evaluation, FrozenDict

SEARCH_ORDERS = (10, 12)
"""Of the graphs that every candidate is searched on; the best one is searched on all of `ORDERS` at the end."""


KNOWN = 0.5
"""What is left of the score of a bound that is nowhere sharper than the bundled theorems."""


@dataclass(frozen=True)
class InequalityEvaluator:
    """The evaluator of one target."""

    table: InvariantTable
    options: InequalityOptions
    theorems: tuple[Theorem, ...]

    def evaluate(self, inequality: Inequality) -> Evaluation:
        """Return the score that the evolution climbs, or a rejection that names a graph that violates it.

        Raises:
            CandidateRejected: it is an identity, or too few graphs have the properties that it supposes.
        """
        rows = self.table.find_rows(inequality.hypothesis)
        slack = inequality.compute_slack(self.table.columns)
        scored = rows & (self.table.kinds == CONNECTED)
        self._require_content(slack[scored])
        wrong = find_counterexample(inequality, self.table, rows & (find_violated(slack) | ~np.isfinite(slack)))
        if wrong is not None:
            return wrong
        refuted, _ = self._search(inequality, self.options.search, SEARCH_ORDERS)
        return refuted or self._score(inequality, slack, scored, tried=int(rows.sum()))

    def evaluate_finally(self, inequality: Inequality) -> Evaluation:
        """Return the score of the best candidate after a longer search, and all that is known about it."""
        found = self.evaluate(inequality)
        if found.status != "ok":
            return found
        refuted, looked_at = self._search(inequality, self.options.final_search, ORDERS)
        if refuted is not None:
            return refuted
        conjecture = describe(inequality, self.table, self.theorems, looked_at)
        lines = (
            *format_conjecture(conjecture),
            f"status = {conjecture.status}",
            f"touches = {conjecture.touches}",
            "the run's other bounds that are not refuted: conjectures/conjectures.html in its folder",
        )
        return found.model_copy(
            update={
                "stage": "final",
                "feedback": "\n".join(lines),
                "details": FrozenDict({"conjecture": conjecture.to_json()}),
            }
        )

    def _require_content(self, slack: Vector) -> None:
        if len(slack) < self.options.least_graphs:
            raise CandidateRejected(
                f"only {len(slack)} of all connected graphs have these properties, not {self.options.least_graphs} or "
                "more: suppose less"
            )
        if not (slack != 0).any():
            raise CandidateRejected("both sides are equal on every graph: this is an identity, not a bound")

    def _search(
        self, inequality: Inequality, budget: int, orders: tuple[int, ...]
    ) -> tuple[Evaluation | None, dict[str, int]]:
        """Return a rejection if a search finds a graph that violates it, and how many graphs were looked at."""
        if not budget:
            return None, {}
        text = f"{inequality.statement}{format_hypothesis(inequality)}"
        digest = hashlib.sha256(text.encode()).digest()
        rng = np.random.default_rng([self.options.seed, int.from_bytes(digest[:8])])
        outcome = NeighborhoodSearch(inequality, rng, budget=budget, orders=orders).run()
        if outcome.counterexample is None:
            return None, outcome.looked_at
        return _reject(inequality, outcome.counterexample, 0), outcome.looked_at

    def _score(self, inequality: Inequality, slack: Vector, rows: npt.NDArray[np.bool_], *, tried: int) -> Evaluation:
        sharp = float((slack[rows] == 0).mean())
        tightness = self._measure_tightness(inequality, slack, rows)
        novelty = float((slack[rows] < self._compute_known_slack(inequality)[rows] - BETTER).mean())
        parts = {"sharpness": sharp, "tightness": tightness, "novelty": novelty}
        cost = self.options.parsimony * inequality.complexity
        return Evaluation(
            status="ok",
            score=sum(parts.values()) / len(parts) * (1 if novelty else KNOWN) - cost,
            stage="table",
            metrics=FrozenDict(
                {
                    **parts,
                    "touches": float((slack[rows] == 0).sum()),
                    "mean_slack": float(slack[rows].mean()),
                    "graphs": float(tried),
                    "complexity": float(inequality.complexity),
                }
            ),
            objectives=FrozenDict(parts),
            descriptors=FrozenDict({**parts, "complexity": float(inequality.complexity)}),
            feedback=f"not refuted by {tried} graphs, sharp on {int((slack[rows] == 0).sum())} connected ones",
        )

    def _measure_tightness(self, inequality: Inequality, slack: Vector, rows: npt.NDArray[np.bool_]) -> float:
        """Return 1 less the mean slack as a share of the best constant bound's, at least 0."""
        target = self.table.columns[inequality.target][rows]
        constant = target.max() - target if inequality.sense == "<=" else target - target.min()
        spread = float(constant.mean())
        return max(0.0, 1.0 - float(slack[rows].mean()) / spread) if spread else 0.0

    def _compute_known_slack(self, inequality: Inequality) -> Vector:
        """Return, for each graph, the least slack of all theorems that bound the same side of the target."""
        side = (inequality.target, inequality.sense)
        slacks = [
            each.inequality.compute_slack(self.table.columns)
            for each in self.theorems
            if (each.inequality.target, each.inequality.sense) == side
            and is_applicable(each.inequality, inequality.hypothesis)
        ]
        best: Vector = np.min([np.full(len(self.table), np.inf), *slacks], axis=0)
        return best


def find_counterexample(
    inequality: Inequality, table: InvariantTable, wrong: npt.NDArray[np.bool_]
) -> Evaluation | None:
    """Return the rejection by the smallest of the graphs that violate an inequality; `None` if there are none."""
    places = np.flatnonzero(wrong)
    if not len(places):
        return None
    smallest = places[np.lexsort((table.columns["m"][places], table.columns["n"][places]))[0]]
    return _reject(inequality, table, int(smallest))


def _reject(inequality: Inequality, table: InvariantTable, place: int) -> Evaluation:
    code = str(table.graphs[place])
    values = ", ".join(f"{name} = {table.columns[name][place]:.6g}" for name in sorted(inequality.invariants))
    bound = float(inequality.compute_bound(table.columns)[place])
    edges = " ".join(f"{u}-{v}" for u, v in to_graph(decode_graph6([code.encode()])[0]).edges())
    nodes = int(table.columns["n"][place])
    return Evaluation(
        status="rejected",
        reason=f"refuted by a graph of {nodes} nodes, edges {edges}: {values}, and the bound is {bound:.6g}",
        details=FrozenDict({"counterexample": code}),
    )
