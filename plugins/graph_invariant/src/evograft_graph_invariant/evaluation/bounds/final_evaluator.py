"""The final judgement of a bound: graphs that no choice depended on, and a search for counterexamples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from evograft_graph_invariant.evaluation.bounds.gaps import TOLERANCE, Gaps, Side, compute_bound_score, measure_gaps
from evograft_graph_invariant.evaluation.data_splits import ATLAS, get_ood_sets, get_sanity_sets, get_test_sets
from evograft_graph_invariant.evaluation.final_values import FinalValues
from evograft_graph_invariant.evaluation.program_runner import ProgramRunner
from evograft_graph_invariant.evaluation.search_evaluator import SearchEvaluator
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.graphs.datasets import GraphSet, SetSpec
from evograft_graph_invariant.scoring.simplicity import Simplified
from evograft_hookspecs import Evaluation, FrozenDict


@dataclass
class FinalBoundResult:
    """Everything the report of a bound says."""

    side: Side
    target: str
    program: CandidateProgram
    simplified: Simplified
    sets: dict[str, Gaps] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    """Sets on which the candidate failed as a whole, and why."""
    counterexample: str | None = None
    """The smallest graph of the atlas that violates it."""

    @property
    def holds(self) -> bool:
        return all(gaps.holds for gaps in self.sets.values())

    @property
    def graphs(self) -> int:
        return sum(len(gaps.gap) for gaps in self.sets.values())


class FinalBoundEvaluator:
    """The final evaluation of a bound, on every set there is, the atlas last."""

    def __init__(self, search: SearchEvaluator, side: Side, master_seed: int) -> None:
        self.search = search
        self.side: Side = side
        self.runner = ProgramRunner(search.options, master_seed, "final")

    def evaluate(self, source: str) -> FinalBoundResult:
        """Judges a candidate that the search accepted."""
        program = CandidateProgram.parse(source)
        found = FinalBoundResult(
            self.side, self.search.options.target, program, self.search.simplifier.simplify(program)
        )
        seen = self.search.table
        train, validation = np.split(self.search.values.compute(program), [seen.train.count])
        found.sets["train"] = measure_gaps(train, seen.train.target, self.side)
        found.sets["validation"] = measure_gaps(validation, seen.validation.target, self.side)
        final_values = FinalValues(program, self.runner, found.notes)
        options = self.search.options
        with np.errstate(all="ignore"):  # a formula may grow beyond all bounds on other graphs
            for spec in (*get_test_sets(options), *get_ood_sets(options), *get_sanity_sets(options), ATLAS):
                found.sets[spec.name] = self._measure(final_values, spec)
        graphs = self.search.tables.load_graphs(ATLAS)
        found.counterexample = find_counterexample(found.sets[ATLAS.name], graphs)
        return found

    def _measure(self, final_values: FinalValues, spec: SetSpec) -> Gaps:
        table = self.search.tables.load(spec)
        return measure_gaps(final_values.compute(spec.name, table).values, table.target, self.side)


def find_counterexample(gaps: Gaps, graphs: GraphSet) -> str | None:
    """Return the smallest graph, by nodes and edges, that violates a bound, with its edges; `None` if none does."""
    wrong = [place for place, violated in enumerate(gaps.violated) if violated]
    if not wrong:
        return None
    place = min(wrong, key=lambda each: (graphs.sizes[each], len(graphs.edges[each])))
    edges = " ".join(f"{u}-{v}" for u, v in graphs.edges[place].tolist())
    return f"{graphs.kinds[place]}: {graphs.sizes[place]} nodes, edges {edges}"


def to_evaluation(found: FinalBoundResult, parsimony: float) -> Evaluation:
    """Return the answer to `evaluate` with the purpose `final`.

    The score is that on the test graphs, or below 0 if the bound does not hold everywhere.
    """
    everything = Gaps(np.concatenate([gaps.gap for gaps in found.sets.values()]))
    nodes = found.program.ast_nodes
    score = compute_bound_score(everything, tightness=found.sets["test"].tightness, cost=parsimony * nodes)
    return Evaluation(
        status="ok",
        score=score,
        stage="final",
        metrics=FrozenDict({name: value for name, value in _metrics(found) if math.isfinite(value)}),
        feedback="\n".join(write_bound_report(found)),
    )


def _metrics(found: FinalBoundResult) -> Iterator[tuple[str, float]]:
    for name, gaps in found.sets.items():
        yield f"{name}_violated", float(gaps.violated.mean())
        yield f"{name}_worst", gaps.worst
        yield f"{name}_mean_gap", gaps.mean_gap
        yield f"{name}_tightness", gaps.tightness
    yield "holds", float(found.holds)
    yield "ast_nodes", float(found.program.ast_nodes)
    yield "sympy_length", float(found.simplified.length)
    yield "sympy_simplified", float(not found.simplified.note)


def write_bound_report(found: FinalBoundResult) -> Iterator[str]:
    """Yield the lines of the report; the last three have a fixed form, for programs to read."""
    sign = "<=" if found.side == "upper" else ">="
    yield f"{found.side} bound  {found.target} {sign} {found.simplified.text}"
    if found.simplified.note:
        yield f"             ({found.simplified.note})"
    yield ""
    yield f"{'set':<17} graphs  violated     worst  mean gap  tightness"
    for name, gaps in found.sets.items():
        yield (
            f"{name:<17} {len(gaps.gap):>6}  {gaps.violated.sum():>8}  {gaps.worst:>8.3g}  {gaps.mean_gap:>8.4g}  "
            f"{gaps.tightness:>9.4f}"
        )
    yield from (f"no value on the whole of {name}: {reason}" for name, reason in found.notes.items())
    yield (
        f"Gaps are relative to the target. A violation of up to {TOLERANCE:g} of it counts as rounding; no value as a "
        "violation."
    )
    yield ""
    yield f"counterexample among all connected graphs of up to 7 nodes: {found.counterexample or 'none'}"
    if found.holds:
        yield f"It holds on all {found.graphs} graphs that were looked at, which is no proof."
    yield ""
    yield f"bound holds = {'yes' if found.holds else 'no'}"
    yield f"test tightness = {found.sets['test'].tightness:.4f}"
    yield f"AST nodes = {found.program.ast_nodes}"
