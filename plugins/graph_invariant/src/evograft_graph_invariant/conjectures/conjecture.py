"""A conjecture: a bound that nothing refuted, with all that is known about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.pools.enumeration import CONNECTED
from evograft_graph_invariant.conjectures.table import InvariantTable
from evograft_graph_invariant.conjectures.theorems.implication import Theorem, find_premises, is_applicable
from evograft_graph_invariant.graphs.features import Vector

ConjectureStatus = Literal["not refuted", "known", "not sharper than known theorems"]

SHOWN = 12
"""Sharp graphs that are listed, the smallest ones."""
BINS = 12
"""Bars of the histogram of the slack."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Conjecture:
    """An inequality and the evidence for it."""

    inequality: Inequality
    status: ConjectureStatus
    premises: tuple[str, ...]
    """Known theorems that it follows from, or that are as sharp, with their sources."""
    touches: int
    """The touch number: among all connected graphs of the table, how many it is sharp on."""
    sharp_graphs: tuple[str, ...]
    """The smallest of these, as graph6."""
    tried: dict[str, int]
    """The number of graphs with the hypothesis that it was tried on, by their kind."""
    histogram: tuple[tuple[float, int], ...]
    """The slack on the graphs of the table: the upper end of each bar, and how many graphs are in it."""
    searches: dict[str, int] = field(default_factory=dict)
    """Graphs that the search for counterexamples has looked at, by the number of nodes."""

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        inequality = self.inequality
        return {
            "statement": inequality.statement,
            "target": inequality.target,
            "sense": inequality.sense,
            "terms": [{"term": term, "coefficient": str(number)} for term, number in inequality.terms],
            "hypothesis": list(inequality.hypothesis),
            "status": self.status,
            "premises": list(self.premises),
            "touches": self.touches,
            "sharp_graphs": list(self.sharp_graphs),
            "tried": self.tried,
            "searched": self.searches,
            "histogram": [{"up_to": end, "graphs": count} for end, count in self.histogram],
        }


def describe(
    inequality: Inequality, table: InvariantTable, theorems: Sequence[Theorem], searches: dict[str, int]
) -> Conjecture:
    """Return what is known about an inequality that no graph of the table violates."""
    rows = table.find_rows(inequality.hypothesis)
    slack = np.where(rows, inequality.compute_slack(table.columns), np.inf)
    sharp = np.flatnonzero((slack == 0) & (table.kinds == CONNECTED))
    status, premises = _judge(inequality, slack, table, theorems)
    return Conjecture(
        inequality=inequality,
        status=status,
        premises=premises,
        touches=len(sharp),
        sharp_graphs=tuple(map(str, table.graphs[sharp[:SHOWN]])),
        tried=dict(Counter(map(str, table.kinds[rows]))),
        histogram=_count_slack(slack[rows]),
        searches=searches,
    )


def _judge(
    inequality: Inequality, slack: Vector, table: InvariantTable, theorems: Sequence[Theorem]
) -> tuple[ConjectureStatus, tuple[str, ...]]:
    found = find_premises(inequality, [each.inequality for each in theorems])
    if found is not None:
        return "known", tuple(_cite(each) for each in theorems if each.inequality in found)
    alike = [
        each
        for each in theorems
        if (each.inequality.target, each.inequality.sense) == (inequality.target, inequality.sense)
        and is_applicable(each.inequality, inequality.hypothesis)
    ]
    rows = np.isfinite(slack)
    slacks = [each.inequality.compute_slack(table.columns)[rows] for each in alike]
    if slacks and (np.min(slacks, axis=0) <= slack[rows] + ROUNDING).all():
        return "not sharper than known theorems", tuple(map(_cite, alike))
    return "not refuted", ()


def _cite(theorem: Theorem) -> str:
    hypothesis = f" ({', '.join(theorem.inequality.hypothesis)})" if theorem.inequality.hypothesis else ""
    return f"{theorem.inequality.statement}{hypothesis}: {theorem.source}"


def _count_slack(slack: Vector) -> tuple[tuple[float, int], ...]:
    counts, ends = np.histogram(slack, bins=BINS, range=(0.0, max(float(slack.max()), 1e-6)))
    return tuple((round(float(end), 6), int(count)) for end, count in zip(ends[1:], counts, strict=True))


def drop_implied(conjectures: Sequence[Conjecture], theorems: Sequence[Theorem]) -> list[Conjecture]:
    """Drop conjectures that follow from theorems and conjectures before them, but keep what is known by itself."""
    known = [each.inequality for each in theorems]
    kept: list[Conjecture] = []
    for conjecture in conjectures:
        open_before = [each.inequality for each in kept if each.status == "not refuted"]
        if conjecture.status != "not refuted" or find_premises(conjecture.inequality, [*known, *open_before]) is None:
            kept.append(conjecture)
    return kept
