"""The invariants and properties by name: what each is, how it is written, and how costly it is.

This module imports no heavy library, so that options can be checked without one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["degrees", "distances", "spectra", "subsets"]
"""What computes it: `subsets` are those for which no algorithm is known that is fast on large graphs, or that are
cheapest beside these."""


@dataclass(frozen=True)
class Invariant:
    """A number that isomorphic graphs share."""

    name: str
    latex: str
    """The symbol, as LaTeX has it."""
    symbol: str
    """The symbol in plain text."""
    group: Group
    meaning: str


@dataclass(frozen=True)
class GraphProperty:
    """A property that a bound may suppose."""

    name: str
    adjective: str
    """As in "for every … graph"."""


INVARIANTS: tuple[Invariant, ...] = (
    Invariant("n", "n", "n", "degrees", "number of nodes"),
    Invariant("m", "m", "m", "degrees", "number of edges"),
    Invariant("density", r"\rho", "ρ", "degrees", "2m / (n(n-1))"),
    Invariant("average_degree", r"\bar{d}", "d̄", "degrees", "2m / n"),
    Invariant("max_degree", r"\Delta", "Δ", "degrees", "largest degree"),
    Invariant("min_degree", r"\delta", "δ", "degrees", "smallest degree"),
    Invariant("leaves", r"\ell", "ℓ", "degrees", "number of nodes of degree one"),
    Invariant("residue", "R", "R", "degrees", "zeros that the reduction of Havel and Hakimi ends with"),
    Invariant(
        "annihilation_number", "a", "a", "degrees", "largest k for which the k smallest degrees add up to at most m"
    ),
    Invariant("randic_index", r"\chi_{-1/2}", "Rₐ", "degrees", "sum of 1/√(d(u)d(v)) over the edges uv"),
    Invariant("harmonic_index", "H", "H", "degrees", "sum of 2/(d(u)+d(v)) over the edges uv"),
    Invariant("first_zagreb_index", "M_1", "M₁", "degrees", "sum of the squared degrees"),
    Invariant("second_zagreb_index", "M_2", "M₂", "degrees", "sum of d(u)d(v) over the edges uv"),
    Invariant("triangles", "t", "t", "degrees", "number of triangles"),
    Invariant("diameter", r"\mathrm{diam}", "diam", "distances", "largest distance"),
    Invariant("radius", r"\mathrm{rad}", "rad", "distances", "smallest eccentricity"),
    Invariant("average_shortest_path_length", r"\bar{\ell}", "ℓ̄", "distances", "mean distance over all pairs of nodes"),
    Invariant("mean_eccentricity", r"\overline{\mathrm{ecc}}", "ecc", "distances", "mean eccentricity"),
    Invariant("wiener_index", "W", "W", "distances", "sum of the distances over all pairs of nodes"),
    Invariant("harary_index", r"\mathcal{H}", "ℋ", "distances", "sum of 1/distance over all pairs of nodes"),
    Invariant("spectral_radius", r"\lambda_1", "λ₁", "spectra", "largest eigenvalue of the adjacency matrix"),
    Invariant("energy", "E", "E", "spectra", "sum of the absolute eigenvalues of the adjacency matrix"),
    Invariant("algebraic_connectivity", r"\mu_2", "μ₂", "spectra", "second smallest eigenvalue of the Laplacian"),
    Invariant("laplacian_radius", r"\mu_n", "μₙ", "spectra", "largest eigenvalue of the Laplacian"),
    Invariant("kirchhoff_index", "K", "K", "spectra", "sum of the effective resistances over all pairs of nodes"),
    Invariant("independence_number", r"\alpha", "α", "subsets", "largest number of pairwise nonadjacent nodes"),
    Invariant("clique_number", r"\omega", "ω", "subsets", "largest number of pairwise adjacent nodes"),
    Invariant("chromatic_number", r"\chi", "χ", "subsets", "smallest number of colours of a proper colouring"),
    Invariant("matching_number", r"\nu", "ν", "subsets", "largest number of pairwise disjoint edges"),
    Invariant(
        "domination_number", r"\gamma", "γ", "subsets", "fewest nodes such that every other one has a neighbour there"
    ),
    Invariant(
        "total_domination_number",
        r"\gamma_t",
        "γₜ",
        "subsets",
        "fewest nodes such that every one has a neighbour there",
    ),
    Invariant("independent_domination_number", "i", "i", "subsets", "fewest nodes of a maximal independent set"),
    Invariant("zero_forcing_number", "Z", "Z", "subsets", "fewest coloured nodes that force all others"),
    Invariant("node_connectivity", r"\kappa", "κ", "subsets", "fewest nodes whose removal disconnects; n - 1 if none"),
    Invariant("edge_connectivity", r"\lambda", "λ", "subsets", "fewest edges whose removal disconnects"),
)

INVARIANT_NAMES: tuple[str, ...] = tuple(each.name for each in INVARIANTS)
BY_NAME: dict[str, Invariant] = {each.name: each for each in INVARIANTS}

PROPERTIES: tuple[GraphProperty, ...] = (
    GraphProperty("tree", "tree"),
    GraphProperty("bipartite", "bipartite"),
    GraphProperty("triangle_free", "triangle-free"),
    GraphProperty("square_free", "C₄-free"),
    GraphProperty("claw_free", "claw-free"),
    GraphProperty("chordal", "chordal"),
    GraphProperty("planar", "planar"),
    GraphProperty("regular", "regular"),
    GraphProperty("cubic", "cubic"),
    GraphProperty("subcubic", "subcubic"),
    GraphProperty("eulerian", "Eulerian"),
    GraphProperty("without_leaves", "leafless"),
    GraphProperty("two_connected", "2-connected"),
    GraphProperty("incomplete", "incomplete"),
    GraphProperty("diameter_two", "diameter-at-most-2"),
)

PROPERTY_NAMES: tuple[str, ...] = tuple(each.name for each in PROPERTIES)
PROPERTY_BY_NAME: dict[str, GraphProperty] = {each.name: each for each in PROPERTIES}
