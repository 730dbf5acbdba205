"""What follows from known theorems: a sum of them, found by a linear program (the lemma of Farkas)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files

import numpy as np
import yaml
from scipy.optimize import linprog

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.bounds.terms import ONE

IMPLIED_PROPERTIES: dict[str, tuple[str, ...]] = {
    "tree": ("bipartite", "triangle_free", "square_free", "chordal", "planar"),
    "bipartite": ("triangle_free",),
    "cubic": ("regular", "subcubic", "without_leaves"),
    "eulerian": ("without_leaves",),
    "two_connected": ("without_leaves",),
}
"""Properties that follow from others, on connected graphs with two nodes or more."""

LEAST = 1e-9
"""Multiples of a premise that are smaller are rounding."""


@dataclass(frozen=True)
class Theorem:
    """An inequality that is proved."""

    inequality: Inequality
    source: str


@cache
def load_theorems() -> tuple[Theorem, ...]:
    """Load the theorems that come with the plugin."""
    text = files("evograft_graph_invariant.conjectures.theorems").joinpath("known.yaml").read_text(encoding="utf-8")
    return tuple(
        Theorem(Inequality.parse(entry["statement"], tuple(entry.get("for", ()))), entry["source"])
        for entry in yaml.safe_load(text)
    )


def find_premises(conclusion: Inequality, known: Sequence[Inequality]) -> tuple[Inequality, ...] | None:
    """Return inequalities of which the conclusion is a sum with positive factors; `None` if there are none.

    An empty answer means that it holds for all numbers.
    """
    usable = [each for each in known if is_applicable(each, conclusion.hypothesis)]
    slacks = [_write_slack(each) for each in usable]
    wanted = _write_slack(conclusion)
    terms = sorted({ONE, *wanted}.union(*slacks))
    rows = np.array([[float(slack.get(term, 0)) for slack in [*slacks, {ONE: Fraction(1)}]] for term in terms])
    goal = np.array([float(wanted.get(term, 0)) for term in terms])
    found = linprog(np.ones(rows.shape[1]), A_eq=rows, b_eq=goal, method="highs")
    if found.x is None:
        return None
    return tuple(each for each, factor in zip(usable, found.x, strict=False) if factor > LEAST)


def is_applicable(theorem: Inequality, hypothesis: Sequence[str]) -> bool:
    """Return whether a theorem holds for all graphs with these properties."""
    return set(theorem.hypothesis) <= close_properties(hypothesis)


def close_properties(names: Sequence[str]) -> frozenset[str]:
    """Return the properties, and those that follow from them."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += IMPLIED_PROPERTIES.get(name, ())
    return frozenset(found)


def _write_slack(inequality: Inequality) -> dict[str, Fraction]:
    """Return bound less target, or target less bound, as a sum of terms that is nonnegative."""
    sign = 1 if inequality.sense == "<=" else -1
    slack = {term: sign * number for term, number in inequality.terms}
    slack[inequality.target] = slack.get(inequality.target, Fraction(0)) - sign
    return slack
