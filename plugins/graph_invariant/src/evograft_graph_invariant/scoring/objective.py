"""The score that the search climbs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evograft_graph_invariant.formulas.growth import count_steep
from evograft_graph_invariant.formulas.intervals import count_unsafe
from evograft_graph_invariant.formulas.parser import Expr
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.correlation import clip_correlation
from evograft_graph_invariant.scoring.feature_table import RankProfiles, SearchTable


@dataclass(frozen=True)
class SearchScore:
    """The correlations of a candidate after the search's evaluation. Correlations are signed."""

    train: float
    validation: float
    worst_slice: float
    """|ρ| in the worst slice, negative where the sign is not that of the whole."""
    worst_slice_place: int
    """Which one that is, among those of the table."""
    linearity: float
    """The largest |Pearson r| of the values, or their logarithms, with a simple function of the target."""
    novelty: float
    unsafe: int
    """Operations that may leave their domain on other graphs; see `formulas.intervals`."""
    steep: int
    """Powers that may be too steep on other graphs; see `formulas.growth`."""
    atlas: float = 0.0
    """|ρ| on the atlas, negative where the sign is not that on validation; 0 where nobody asks for it."""
    larger: float = 0.0
    """The same on larger random graphs."""


def measure_correlations(values: Vector, ranked: RankProfiles, table: SearchTable, formula: Expr | None) -> SearchScore:
    """Score the values on training and validation graphs."""
    validation = float(ranked.validation.dot(table.validation_profile))
    worst, place = _find_worst(table.slice_correlations(ranked.slices), validation)
    return SearchScore(
        train=table.train_correlation(ranked.train),
        validation=clip_correlation(validation),
        worst_slice=clip_correlation(worst),
        worst_slice_place=place,
        linearity=table.linearity(values),
        novelty=table.novelty.bonus(ranked.validation),
        unsafe=0 if formula is None else count_unsafe(formula),
        steep=0 if formula is None else count_steep(formula),
    )


def _find_worst(slices: list[float], whole: float) -> tuple[float, int]:
    if whole == 0:
        return 0.0, 0
    worst = min(slices) if whole > 0 else max(slices)
    return math.copysign(1.0, whole) * worst, slices.index(worst)


def compute_screened_score(train: float) -> float:
    """Below every score of a candidate that was looked at further, the better the closer it came."""
    return abs(train) - 1.0


def compute_search_score(score: SearchScore, ast_nodes: int, options: GraphInvariantOptions) -> float:
    """Return the score under the objectives `rho`, `straight` and `robust`."""
    rho = abs(score.validation)
    beyond = options.atlas_weight * score.atlas + options.larger_weight * score.larger
    cost = options.parsimony * ast_nodes
    if options.objective == "rho":
        return rho + beyond - cost
    cost += options.unsafe_cost * score.unsafe + options.steep_cost * score.steep
    if options.objective == "straight":
        return (rho + score.linearity) / 2 + beyond - cost
    return (rho + score.worst_slice + score.linearity) / 3 + beyond - cost
