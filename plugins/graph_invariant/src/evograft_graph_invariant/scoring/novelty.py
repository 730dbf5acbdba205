"""The distance of a candidate from the invariants that everybody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from evograft_graph_invariant.scoring.bootstrap import Resamples, remove_dependence
from evograft_graph_invariant.scoring.correlation import Matrix, Vector, find_strongest, rank_profile, rank_profiles

NEW_BELOW = 0.7
"""A candidate is new if the upper end of every interval is below this."""

ENDS = (0.025, 0.975)
"""Quantiles at the ends of a 95 % interval."""


class NoveltyScorer:
    """The reference invariants of a set of graphs, ranked once."""

    def __init__(self, references: Mapping[str, Vector], *, given: Vector | None = None) -> None:
        """Ranks the references.

        Args:
            references: by name.
            given: the target, for the novelty given the target; `None` for the plain one.
        """
        self.names = tuple(references)
        self._given = None if given is None else rank_profile(given)
        self._profiles = self._beside(rank_profiles(np.stack(list(references.values()))))

    def bonus(self, profile: Vector) -> float:
        """1 less the largest |ρ| with a reference, for a candidate's rank profile."""
        return compute_novelty_bonus(find_strongest(self._profiles.dot(self._beside(profile))))

    def _beside(self, profiles: Matrix) -> Matrix:
        return profiles if self._given is None else remove_dependence(profiles, self._given)


def compute_novelty_bonus(largest: float) -> float:
    """In [0, 1], for the largest |ρ| with a reference."""
    return max(0.0, 1.0 - largest)


@dataclass(frozen=True)
class Likeness:
    """|ρ| with a reference, and its 95 % bootstrap interval."""

    rho: float
    low: float
    high: float


@dataclass(frozen=True)
class Likenesses:
    """A candidate compared with all references."""

    each: dict[str, Likeness] = field(default_factory=dict)

    @property
    def bonus(self) -> float:
        return compute_novelty_bonus(self.each[self.nearest].rho) if self.each else 0.0

    @property
    def nearest(self) -> str:
        """The reference with the largest |ρ|."""
        return max(self.each, key=lambda name: self.each[name].rho)

    @property
    def doubtful(self) -> str:
        """The reference whose interval ends highest."""
        return max(self.each, key=lambda name: self.each[name].high)

    @property
    def is_new(self) -> bool:
        return all(found.high < NEW_BELOW for found in self.each.values())


def measure_likeness(
    values: Vector, references: Mapping[str, Vector], *, seed: int, given: Vector | None = None
) -> Likenesses:
    """|ρ| with each reference, graphs resampled in pairs; partial correlations if a target is given.

    Args:
        values: a candidate's, one a graph.
        references: by name.
        seed: of the resamples.
        given: the quantity whose part in both is taken away first.
    """
    resamples = Resamples(len(values), seed=seed)
    whole = _Profiles(None, given)
    resampled = _Profiles(resamples, given)
    own, drawn = whole.of(values), resampled.of(values)
    each = {}
    for name, reference in references.items():
        found = np.abs(np.einsum("ij,ij->i", drawn, resampled.of(reference)))
        low, high = np.quantile(found, ENDS)
        rho = abs(float(own @ whole.of(reference)))
        each[name] = Likeness(min(1.0, rho), min(1.0, float(low)), min(1.0, float(high)))
    return Likenesses(each)


class _Profiles:
    """Rank profiles on the graphs as they are, or on resamples; without the given quantity's part."""

    def __init__(self, resamples: Resamples | None, given: Vector | None) -> None:
        self._resamples = resamples
        self._given = None if given is None else self._plain(given)

    def of(self, values: Vector) -> Matrix:
        return self._plain(values) if self._given is None else remove_dependence(self._plain(values), self._given)

    def _plain(self, values: Vector) -> Matrix:
        return rank_profile(values) if self._resamples is None else self._resamples.profiles(values)
