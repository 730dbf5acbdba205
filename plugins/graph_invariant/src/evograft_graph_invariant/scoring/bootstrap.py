"""Rank correlations on a thousand resamples of the graphs at once, without sorting any of them.

A resample is how often each graph was drawn. In the order of the values, which is sorted once, the ranks of every
resample are running sums of these numbers; graphs that tie share the middle of theirs.
"""

from __future__ import annotations

import numpy as np

from evograft_graph_invariant.scoring.correlation import Matrix, Vector

RESAMPLES = 1000
NOTHING = 1e-7
"""The length of a profile of length 1, less its part along another, that is rounding only. A thousand graphs of which
two neighbours changed places leave 1e-4."""


class Resamples:
    """So many draws of graphs, with replacement and in pairs: every quantity is ranked on the same ones."""

    def __init__(self, count: int, *, seed: int, resamples: int = RESAMPLES) -> None:
        draws = np.random.default_rng(seed).integers(0, count, size=(resamples, count))
        cells = draws + count * np.arange(resamples)[:, None]
        drawn = np.bincount(cells.ravel(), minlength=resamples * count)
        self._drawn = drawn.reshape(resamples, count).astype(np.float64)
        self._root = np.sqrt(self._drawn)

    def profiles(self, values: Vector) -> Matrix:
        """Return a row for each resample; the product of two quantities' rows is the rank correlation there."""
        shifted = self._ranks(values) - (len(values) + 1) / 2
        shifted *= self._root
        return normalize(shifted)

    def _ranks(self, values: Vector) -> Matrix:
        """Those of graphs that a resample lacks mean nothing."""
        order = values.argsort(kind="stable")
        last_of_tied = np.append(values[order][1:] != values[order][:-1], True)
        ends = self._drawn[:, order].cumsum(axis=1)[:, last_of_tied]
        middles = ends.copy()
        middles[:, 1:] += ends[:, :-1]
        middles += 1.0
        middles /= 2.0
        place = np.empty(len(values), dtype=np.intp)
        place[order] = np.cumsum(last_of_tied) - last_of_tied
        return middles.take(place, axis=1)


def normalize(rows: Matrix) -> Matrix:
    """Scaled to length 1 along the last axis; rows of nothing stay nothing."""
    lengths = np.sqrt(np.einsum("...i,...i->...", rows, rows))[..., None]
    scaled: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > NOTHING)
    return scaled


def remove_dependence(rows: Matrix, given: Matrix) -> Matrix:
    """Return profiles without their part along another profile; nothing is left if they are that other one.

    The product of two such rows is the partial rank correlation.
    """
    along = np.einsum("...i,...i->...", rows, given)[..., None]
    return normalize(rows - along * given)
