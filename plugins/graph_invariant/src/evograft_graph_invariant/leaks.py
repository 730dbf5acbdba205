"""Finds candidates that restate what they were to predict.

A formula over columns cannot: no column holds anything forbidden. These checks are for programs, which may compute by
hand what they may not call, and for mistakes of ours.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evograft_graph_invariant.columns import Vector
from evograft_graph_invariant.scoring import pearson, rank_profile
from evograft_graph_invariant.sheet import SearchSheet, Sheet
from evograft_graph_invariant.targets import Target

EXACT = 1e-9
"""Relative difference up to which two computations are the same quantity."""

SPARE = 20
"""With fewer graphs than parts and so many more, anything is a sum of anything."""

SIZES = ("n", "m")
"""Columns that a restated quantity is often scaled by: the Wiener index is the mean distance times n(n-1)/2."""


def find_equal_quantity(values: Vector, train: Sheet) -> str | None:
    """The hidden quantity, forbidden or of a higher level, that the values are on the training graphs."""
    for name, quantity in train.hidden.items():
        if np.allclose(values, quantity, rtol=EXACT, atol=0.0):
            return name
    return None


def find_monotone_copy(values: Vector, target: Target, sheet: SearchSheet) -> str | None:
    """The forbidden quantity that orders training and validation graphs together exactly as the values do.

    A great formula may order 50 graphs without a mistake; one that errs on none of 250 restates the quantity. A line
    is looked for beside: quantities with many ties may be scaled without their ranks being those of the values.
    """
    profile = rank_profile(values)
    for name, quantity in _forbidden(target, sheet.all).items():
        same_order = abs(float(profile @ rank_profile(quantity))) >= 1.0 - EXACT
        if same_order or abs(pearson(values, quantity)) >= 1.0 - EXACT * EXACT * 1e3:
            return name
    return None


def is_made_of_forbidden(values: Vector, target: Target, sheet: SearchSheet) -> bool:
    """Whether the values are an exact sum of multiples, or product of powers, only with forbidden quantities in it."""
    forbidden = np.stack(list(_forbidden(target, sheet.all).values()))
    columns = np.stack(list(sheet.all.columns.values()))
    if _only_with(values, columns, forbidden):
        return True
    if not (values > 0).all():
        return False
    sizes = np.stack([sheet.all.columns[name] for name in SIZES])
    positive = forbidden[(forbidden > 0).all(axis=1)]
    return _only_with(np.log(values), np.log(np.vstack([sizes, sizes[:1] - 1])), np.log(positive))


def _only_with(values: Vector, allowed: Vector, forbidden: Vector) -> bool:
    if len(values) < len(allowed) + len(forbidden) + SPARE:
        return False
    return not _is_sum_of(values, allowed) and _is_sum_of(values, np.vstack([allowed, forbidden]))


def _is_sum_of(values: Vector, parts: Vector) -> bool:
    """Whether a linear combination of the rows, and a constant, gives the values exactly."""
    table = np.vstack([parts, np.ones(len(values))]).T
    scaled = table / np.abs(table).max(axis=0)
    spread = values - values.mean()
    solution = np.linalg.lstsq(scaled, spread, rcond=None)[0]
    return bool(np.abs(scaled @ solution - spread).max() <= 1e-8 * np.abs(spread).max())


def _forbidden(target: Target, sheet: Sheet) -> Mapping[str, Vector]:
    return {name: sheet.hidden[name] for name in target.forbidden if name in sheet.hidden}
