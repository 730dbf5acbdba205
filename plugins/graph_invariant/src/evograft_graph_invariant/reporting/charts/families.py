"""Families of graphs by colour and by shape: either is enough to distinguish them."""

from __future__ import annotations

from collections.abc import Sequence

from evograft_report.toolkit.chart import LegendEntry

FIGURES = (
    "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
    "m-2.6-2.6h5.2v5.2h-5.2z",
    "m-3.2 2.6l3.2-5.6 3.2 5.6z",
    "m0-3.6l3.6 3.6-3.6 3.6-3.6-3.6z",
    "m-2.8-2.8l5.6 5.6m0-5.6l-5.6 5.6",
    "m-3.4 0h6.8m-3.4-3.4v6.8",
)
"""Circle, square, triangle, diamond and two crosses, drawn around their place."""


def figure_of(place: int) -> str:
    return FIGURES[place % len(FIGURES)]


def kind_of(place: int) -> str:
    """Return the class of a family's marks."""
    return f"family-{place % len(FIGURES)}"


def legend_of(families: Sequence[str]) -> tuple[LegendEntry, ...]:
    return tuple(
        LegendEntry(kind_of(place), family, "figure", figure_of(place))
        for place, family in enumerate(families)
        if family
    )
