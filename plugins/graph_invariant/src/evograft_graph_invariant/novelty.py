"""How far a candidate is from the invariants everybody knows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.scoring import Matrix, Vector, centred, rank_profile, rank_profiles, ranks, strongest

RESAMPLES = 1000
NEW_BELOW = 0.7
"""A candidate is new if the upper end of every interval is below this."""

Rows = npt.NDArray[np.int64]

_PER_CHUNK = 250
"""Resamples ranked at a time, which bounds the memory of a large set."""


class Novelty:
    """The reference invariants of a set of graphs, ranked once."""

    def __init__(self, references: Mapping[str, Vector]) -> None:
        self.names = tuple(references)
        self._profiles = rank_profiles(np.stack(list(references.values())))

    def bonus(self, profile: Vector) -> float:
        """1 less the largest |ρ| with a reference, for a candidate's rank profile."""
        return max(0.0, 1.0 - strongest(self._profiles.dot(profile)))


def correlations(values: Vector, references: Mapping[str, Vector]) -> dict[str, float]:
    """|ρ| with each reference."""
    profile = rank_profile(values)
    return {name: min(1.0, abs(float(rank_profile(reference) @ profile))) for name, reference in references.items()}


def upper_bounds(values: Vector, references: Mapping[str, Vector], seed: int) -> dict[str, float]:
    """The upper end of the 95 % bootstrap interval of |ρ| with each reference, graphs resampled in pairs."""
    draws = np.random.default_rng(seed).integers(0, len(values), size=(RESAMPLES, len(values)))
    samples = [_profiles(values, rows) for rows in _chunks(draws)]
    bounds = {}
    for name, reference in references.items():
        parts = [
            np.abs((sample * _profiles(reference, rows)).sum(axis=1))
            for sample, rows in zip(samples, _chunks(draws), strict=True)
        ]
        bounds[name] = min(1.0, float(np.quantile(np.concatenate(parts), 0.975)))
    return bounds


def _chunks(draws: Rows) -> list[Rows]:
    return [draws[start : start + _PER_CHUNK] for start in range(0, len(draws), _PER_CHUNK)]


def _profiles(values: Vector, rows: Rows) -> Matrix:
    return centred(ranks(values[rows]))
