"""The search for conjectures: fit bounds to graphs, attack them, feed back what violates them, and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.bounds.dalmatian import RankedBound, select_bounds
from evograft_graph_invariant.conjectures.bounds.fitting import fit_simple_bounds, fit_upper_bounds
from evograft_graph_invariant.conjectures.bounds.inequality import Inequality, Sense, find_violated, sort_terms
from evograft_graph_invariant.conjectures.bounds.products import ProductSearch
from evograft_graph_invariant.conjectures.bounds.terms import ONE
from evograft_graph_invariant.conjectures.invariants.catalogue import INVARIANT_NAMES, PROPERTY_NAMES
from evograft_graph_invariant.conjectures.pools.enumeration import ATLAS_ORDER, CONNECTED
from evograft_graph_invariant.conjectures.table import InvariantTable, concatenate
from evograft_graph_invariant.graphs.features import Vector

Flags = npt.NDArray[np.bool_]
SENSES: tuple[Sense, ...] = ("<=", ">=")
FED_BACK = 3
"""Graphs that violate a bound which are added to the data, the smallest first."""
NOTES = 10
"""Lines of progress in a round, at most."""
LEAST_GRAPHS = 8
"""Graphs that have to have the properties of a hypothesis."""

Side = tuple[str, Sense]
"""A target, and whether bounds lie above or below it."""
Hypothesis = tuple[str, ...]


@dataclass(frozen=True)
class ConjectureOptions:
    """What is searched for, and how hard."""

    targets: tuple[str, ...] = INVARIANT_NAMES
    invariants: tuple[str, ...] = INVARIANT_NAMES
    """Those that bounds may be made of."""
    properties: tuple[str, ...] = PROPERTY_NAMES
    """Those that a hypothesis may consist of."""
    data_order: int = ATLAS_ORDER
    """Bounds are fitted to all connected graphs of up to this order first."""
    beam: int = 8
    """Regressors of which pairs and triples are tried, after each alone and with n."""
    least_touches: int = 3
    """Graphs on which a bound has to be sharp, and on which it has to be better than the bounds before it."""
    most: int = 10
    """Bounds of a target and a sense without a hypothesis; of each hypothesis, a third."""
    rounds: int = 8
    """Times that bounds are fitted, attacked, and fed the graphs that violate them."""


@dataclass
class SideState:
    """The bounds of one target, above it or below it."""

    candidates: dict[Hypothesis, list[Inequality]] = field(default_factory=dict)
    ranked: dict[Hypothesis, list[RankedBound]] = field(default_factory=dict)
    """The candidates that hold on the data of the last fit."""
    due: set[Hypothesis] = field(default_factory=set)
    """What is to be fitted in the next round."""
    beam: tuple[str, ...] = ()
    """The best single regressors of all connected graphs."""
    kept: list[RankedBound] = field(default_factory=list)


class ConjectureSearch:
    """The search over one table."""

    def __init__(
        self, table: InvariantTable, options: ConjectureOptions, note: Callable[[str], None] = lambda _: None
    ) -> None:
        self.table = table
        self.options = options
        self.note = note
        self.rows: Flags = (table.kinds == CONNECTED) & (table.columns["n"] <= options.data_order)
        self.refuted: dict[Inequality, str] = {}
        self._tried: set[Inequality] = set()
        """Those that hold on the whole table."""
        hypotheses: tuple[Hypothesis, ...] = ((), *((name,) for name in options.properties))
        self.sides: dict[Side, SideState] = {
            (target, sense): SideState(due=set(hypotheses)) for target in options.targets for sense in SENSES
        }

    def run(self) -> list[RankedBound]:
        """Return the bounds that no graph of the table violates, those that are sharp most often first."""
        for number in range(1, self.options.rounds + 1):
            due = [side for side, state in self.sides.items() if state.due]
            if not due:
                break
            self._run_round(due, number)
        return self.collect()

    def choose(self, given: Iterable[Inequality] = ()) -> list[RankedBound]:
        """Return what the Dalmatian rule keeps of given and earlier bounds on the whole table; nothing is fitted."""
        for bound in given:
            candidates = self.sides[bound.target, bound.sense].candidates
            candidates.setdefault(bound.hypothesis, []).append(bound)
        self.rows[:] = True
        for state in self.sides.values():
            self._rank(state, self.table)
            self._select(state, self.table)
        return self.collect()

    def collect(self) -> list[RankedBound]:
        """Return the bounds that are kept so far and that no graph of the table violates, also of a cut-off round."""
        kept = (bound for state in self.sides.values() for bound in state.kept)
        sound = [each for each in kept if self.holds(each.inequality)]
        return sorted(sound, key=lambda each: each.rank)

    def holds(self, inequality: Inequality) -> bool:
        """Try a bound on the whole table: what violates it is fed back, and its target is due again."""
        if inequality in self._tried or inequality in self.refuted:
            return inequality not in self.refuted
        wrong = find_violations(inequality, self.table)
        if not len(wrong):
            self._tried.add(inequality)
            return True
        self.rows[wrong[:FED_BACK]] = True
        self._refute(inequality, str(self.table.graphs[wrong[0]]))
        return False

    def feed(self, found: InvariantTable, refuted: Inequality) -> None:
        """Add graphs that violate a bound to table and data; the next run fits its target again."""
        self.table = concatenate([self.table, found])
        self.rows = np.concatenate([self.rows, np.ones(len(found), dtype=bool)])
        self._tried = {each for each in self._tried if not len(find_violations(each, found))}
        self._refute(refuted, str(found.graphs[0]))

    def _run_round(self, due: Sequence[Side], number: int) -> None:
        data = self.table.select(self.rows)
        products = ProductSearch(self.options.invariants, data.columns)
        for place, side in enumerate(due, start=1):
            state = self.sides[side]
            self._fit(side, state, data, products)
            self._rank(state, data)
            state.due = set()
            self._select(state, data)
            while self._try_kept(state):
                self._select(state, data)
            if place % -(-len(due) // NOTES) == 0 or place == len(due):
                self._note_progress(number, f"{place} of {len(due)} targets and senses")

    def _note_progress(self, number: int, done: str) -> None:
        kept = sum(len(state.kept) for state in self.sides.values())
        self.note(
            f"round {number}, {done}: {kept} bounds kept, {len(self.refuted)} refuted so far, {self.rows.sum()} graphs "
            "as data"
        )

    def _fit(self, side: Side, state: SideState, data: InvariantTable, products: ProductSearch) -> None:
        for hypothesis in sorted(state.due):
            if not hypothesis:
                state.beam, found = fit_everywhere(side, data, self.options)
                state.candidates[()] = [*found, *products.find_bounds(*side)]
            else:
                earlier = [each for each in state.candidates.get(hypothesis, []) if each not in self.refuted]
                fitted = fit_under_hypothesis(side, hypothesis, state.beam, data)
                state.candidates[hypothesis] = list(dict.fromkeys([*earlier, *fitted]))

    def _rank(self, state: SideState, data: InvariantTable) -> None:
        """Keep the candidates that hold on the data, and rank those that are no identities."""
        for hypothesis, candidates in state.candidates.items():
            rows = data.find_rows(hypothesis)
            slacks = {each: np.where(rows, each.compute_slack(data.columns), np.inf) for each in candidates}
            held = {each: slack for each, slack in slacks.items() if not find_violated(slack).any()}
            state.candidates[hypothesis] = list(held)
            state.ranked[hypothesis] = [
                RankedBound(each, slack) for each, slack in held.items() if (slack[rows] > 0).any()
            ]

    def _select(self, state: SideState, data: InvariantTable) -> None:
        """Apply the Dalmatian rule, to bounds without a hypothesis first."""
        given = np.full(len(data), np.inf)
        state.kept = []
        for hypothesis in sorted(state.ranked):
            sound = [each for each in state.ranked[hypothesis] if each.inequality not in self.refuted]
            most = max(1, self.options.most // 3) if hypothesis else self.options.most
            kept = select_bounds(sound, given, least_touches=self.options.least_touches, most=most)
            state.kept += kept
            if not hypothesis and kept:
                given = np.min([each.slack for each in kept], axis=0)

    def _try_kept(self, state: SideState) -> bool:
        """Return whether the table violates any of the bounds that are kept; each of these is dropped."""
        held = [self.holds(bound.inequality) for bound in state.kept]
        return not all(held)

    def _refute(self, inequality: Inequality, graph: str) -> None:
        """Drop a bound, and suggest it for the properties with which it holds."""
        state = self.sides[inequality.target, inequality.sense]
        self.refuted[inequality] = graph
        state.due.add(inequality.hypothesis)
        if inequality.hypothesis:
            return
        wrong = find_violated(inequality.compute_slack(self.table.columns))
        for name in self.options.properties:
            if not (wrong & self.table.properties[name]).any():
                narrower = Inequality(inequality.target, inequality.sense, inequality.terms, (name,))
                state.candidates.setdefault((name,), []).append(narrower)
                state.due.add((name,))


def find_violations(inequality: Inequality, table: InvariantTable) -> npt.NDArray[np.intp]:
    """Return the graphs of the hypothesis that violate an inequality, those with the fewest nodes first."""
    wrong = find_violated(inequality.compute_slack(table.columns)) & table.find_rows(inequality.hypothesis)
    places = np.flatnonzero(wrong)
    return places[np.lexsort((table.columns["m"][places], table.columns["n"][places]))]


def fit_everywhere(
    side: Side, data: InvariantTable, options: ConjectureOptions
) -> tuple[tuple[str, ...], list[Inequality]]:
    """Return the best single regressors, and linear bounds of all connected graphs.

    Bounds are made of single regressors, of each with n, and of pairs and triples of the best ones and n.
    """
    names = [name for name in options.invariants if name != side[0] and np.ptp(data.columns[name]) > 0]
    found: list[Inequality] = []
    looseness: dict[str, float] = {}
    for name in names:
        for bound in _fit_terms(side, (name,), data.columns):
            mean = float(bound.compute_slack(data.columns).mean())
            looseness[name] = min(mean, looseness.get(name, np.inf))
            found.append(bound)
    beam = tuple(sorted(looseness, key=lambda name: (looseness[name], name))[: options.beam])
    best = sorted({*beam, "n"} & set(names))
    several = {*combinations(best, 2), *combinations(best, 3)}
    if "n" in names:
        several |= {tuple(sorted(("n", name))) for name in names if name != "n"}
    for each in sorted(several):
        found += _fit_terms(side, each, data.columns)
    return beam, found


def fit_under_hypothesis(
    side: Side, hypothesis: Hypothesis, beam: Sequence[str], data: InvariantTable
) -> Iterator[Inequality]:
    """Yield linear bounds of the graphs with some properties, from the best regressors, each alone and with n."""
    rows = data.find_rows(hypothesis)
    if rows.sum() < LEAST_GRAPHS:
        return
    columns = {name: data.columns[name][rows] for name in {*beam, "n", side[0]}}
    names = [name for name in beam if np.ptp(columns[name]) > 0]
    for name in names:
        yield from _fit_terms(side, (name,), columns, hypothesis)
        if name != "n" and side[0] != "n":
            yield from _fit_terms(side, ("n", name), columns, hypothesis)


def _fit_terms(
    side: Side, names: tuple[str, ...], columns: dict[str, Vector], hypothesis: Hypothesis = ()
) -> Iterator[Inequality]:
    target, sense = side
    sign = 1 if sense == "<=" else -1
    x, y = np.column_stack([columns[name] for name in names]), sign * columns[target]
    found = list(fit_upper_bounds(x, y, most=1 if hypothesis else 2))
    if len(names) == 1:
        found += [(tuple(sign * n for n in slope), c) for slope, c in fit_simple_bounds(sign * x[:, 0], y)]
    for numbers, constant in dict.fromkeys(found):
        terms: dict[str, Fraction] = {name: sign * number for name, number in zip(names, numbers, strict=True)}
        yield Inequality(target, sense, sort_terms({**terms, ONE: sign * constant}), hypothesis)
