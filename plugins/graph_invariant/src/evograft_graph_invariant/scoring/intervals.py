"""95 % intervals of rank correlations, which never leave [-1, 1]."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evograft_graph_invariant.scoring.bootstrap import Resamples
from evograft_graph_invariant.scoring.correlation import Vector, clip_correlation, spearman
from evograft_graph_invariant.scoring.novelty import ENDS

ENOUGH_TO_RESAMPLE = 30
"""Resamples of fewer graphs lack a third of them, and repeat others until little is left to rank."""
FEWEST = 10
NORMAL = 1.959963984540054
"""The quantile of the normal distribution that 2.5 % lie above."""

MOST = 1.0 - 1e-9
"""|ρ| of 1 has no finite z."""

Ends = tuple[float, float]


def estimate_rho_interval(values: Vector, target: Vector, *, seed: int) -> Ends | None:
    """Return the interval of the signed ρ; `None` of fewer than ten graphs, which say nothing.

    By a bootstrap, graphs resampled in pairs; of a few graphs by Fisher's z with the variance of Bonett and Wright
    (2000), (1 + ρ²/2) / (n - 3).
    """
    if len(values) < FEWEST:
        return None
    if len(values) < ENOUGH_TO_RESAMPLE:
        rho = spearman(values, target)
        return _from_z(rho, NORMAL * math.sqrt((1 + rho * rho / 2) / (len(values) - 3)))
    resamples = Resamples(len(values), seed=seed)
    found = np.einsum("ij,ij->i", resamples.profiles(values), resamples.profiles(target))
    low, high = np.quantile(found, ENDS)
    return clip_correlation(float(low)), clip_correlation(float(high))


def estimate_mean_interval(rho: Sequence[float]) -> Ends | None:
    """Return the interval of the mean of several |ρ|, by Student's t on the scale of Fisher's z; `None` for one."""
    if len(rho) == 1:
        return None
    from scipy.stats import t

    z = np.arctanh(np.minimum(np.abs(rho), MOST))
    half = float(t.ppf(ENDS[1], len(z) - 1) * z.std(ddof=1)) / math.sqrt(len(z))
    low, high = _from_z(min(MOST, float(np.mean(np.abs(rho)))), half)
    return max(0.0, low), high


def _from_z(rho: float, half: float) -> Ends:
    z = math.atanh(rho) if abs(rho) < 1.0 else math.copysign(math.inf, rho)
    return math.tanh(z - half), math.tanh(z + half)
