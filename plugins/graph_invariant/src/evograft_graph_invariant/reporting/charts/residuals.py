"""Residuals by family: every graph a mark, quarters as a box, the median as a line."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from evograft_graph_invariant.reporting.charts.families import figure_of, kind_of
from evograft_graph_invariant.reporting.residuals import Predictions, Spread, spreads_of
from evograft_graph_invariant.reporting.wording import ReportWording
from evograft_report.toolkit.axes import y_axis
from evograft_report.toolkit.chart import Area, Chart
from evograft_report.toolkit.scale import AxisScale, scale
from evograft_report.toolkit.svg import bar, fit_text, join, line, marks, text

GOLDEN = 0.618
"""Multiples of it, modulo 1, lie evenly: marks next to one another without chance."""
FAR = 6.0
"""A residual is drawn at its place up to this many times the largest quarter."""


def draw_residuals(name: str, title: str, found: Predictions | None, w: ReportWording) -> Chart | None:
    if found is None:
        return None
    spreads = spreads_of(found)
    ends = _ends(spreads)

    def draw(area: Area) -> Markup:
        y = scale(ends, area.bottom, area.top, margin=0.04)
        width = (area.right - area.left) / len(spreads)
        zero = line(area.left, y.at(0.0), area.right, y.at(0.0), kind="equal")
        lefts = [area.left + width * place for place in range(len(spreads))]
        columns = [
            _column(spread, found, AxisScale(-0.5, 0.5, left, left + width), y)
            for spread, left in zip(spreads, lefts, strict=True)
        ]
        names = [_name(spread, left, width, area, w) for spread, left in zip(spreads, lefts, strict=True)]
        return join([y_axis(area, y), zero, *columns, *names])

    return Chart(name, title, w.t("residuals.what"), (), draw, height=300)


def _ends(spreads: Sequence[Spread]) -> tuple[float, float]:
    far = FAR * max(max(abs(spread.quarter), abs(spread.three_quarters)) for spread in spreads)
    low, high = min(spread.low for spread in spreads), max(spread.high for spread in spreads)
    return (max(low, -far), min(high, far)) if far else (low, high)


def _column(spread: Spread, found: Predictions, x: AxisScale, y: AxisScale) -> Markup:
    place = found.families.index(spread.family)
    residuals = [graph.residual for graph in found.graphs if graph.family == spread.family]
    places = [
        (round(x.at(0.5 * ((number * GOLDEN) % 1.0 - 0.5))), round(y.at(residual)))
        for number, residual in enumerate(residuals)
    ]
    top, bottom = y.at(spread.three_quarters), y.at(spread.quarter)
    return join(
        [
            marks(dict.fromkeys(places), figure_of(place), kind=kind_of(place)),
            bar(x.at(-0.32), top, x.at(0.32) - x.at(-0.32), bottom - top, kind="quarters"),
            line(x.at(-0.32), y.at(spread.median), x.at(0.32), y.at(spread.median), kind="median"),
        ]
    )


def _name(spread: Spread, left: float, width: float, area: Area, w: ReportWording) -> Markup:
    x = left + width / 2
    name = fit_text(spread.family or w.t("residuals.all"), width - 4)
    graphs = fit_text(w.t("residuals.size", n=spread.graphs), width - 4)
    return join(
        [
            text(x, area.bottom + 17, name, anchor="middle", kind="label"),
            text(x, area.bottom + 33, graphs, anchor="middle"),
        ]
    )
