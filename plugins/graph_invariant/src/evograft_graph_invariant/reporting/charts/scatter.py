"""Predicted against true, a mark a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from evograft_graph_invariant.reporting.charts.families import figure_of, kind_of, legend_of
from evograft_graph_invariant.reporting.residuals import Graph, Predictions
from evograft_graph_invariant.reporting.wording import ReportWording
from evograft_report.toolkit.axes import x_axis, y_axis
from evograft_report.toolkit.chart import Area, Chart
from evograft_report.toolkit.scale import AxisScale, scale
from evograft_report.toolkit.svg import LINE, NARROW, SMALL, WIDE, fit_text, join, line, marks, text

TALL = 280.0
"""The height of a small one."""
ROOM = 0.35
"""How far beyond the true values a prediction is still drawn at its place, as a share of the largest; their range may
be small, as that of three graphs."""


def draw_scatter(
    name: str, title: str, found: Predictions | None, w: ReportWording, *, small: bool = False
) -> Chart | None:
    """Draw predictions by truth. A line marks where both are equal; what is predicted far away lies at the edge."""
    if found is None:
        return None
    families, graphs = found.families, found.graphs
    low, high = _ends(graphs)
    beyond = sum(not low <= graph.predicted <= high for graph in graphs)

    def draw(area: Area) -> Markup:
        area = replace(area, top=area.top + LINE)
        x = scale([graph.true for graph in graphs], area.left + 6, area.right, margin=0.03)
        y = scale([low, high], area.bottom, area.top, margin=0.03)
        return join(
            [
                y_axis(area, y, most=4 if small else 6),
                x_axis(area, x, w.t("axis.true")),
                text(area.left, area.top - 6, fit_text(w.t("axis.predicted"), area.right - area.left), kind="label"),
                _diagonal(x, y),
                *(_marks(family, place, graphs, x, y) for place, family in enumerate(families)),
            ]
        )

    description = w.t("scatter.what", n=len(graphs)) + (w.t("scatter.beyond", n=beyond) if beyond else "")
    sizes = (SMALL.of(TALL),) if small else (WIDE, NARROW)
    return Chart(name, title, description, legend_of(families), draw, height=TALL if small else 400, sizes=sizes)


def _ends(graphs: Sequence[Graph]) -> tuple[float, float]:
    """Return the range of the vertical axis: that of the predictions, as far as it is near that of the truth."""
    least, most = min(graph.true for graph in graphs), max(graph.true for graph in graphs)
    room = max(abs(least), abs(most)) * ROOM
    low = max(least - room, min(graph.predicted for graph in graphs))
    high = min(most + room, max(graph.predicted for graph in graphs))
    return min(low, least), max(high, most)


def _diagonal(x: AxisScale, y: AxisScale) -> Markup:
    low, high = max(x.low, y.low), min(x.high, y.high)
    return line(x.at(low), y.at(low), x.at(high), y.at(high), kind="equal")


def _marks(family: str, place: int, graphs: Sequence[Graph], x: AxisScale, y: AxisScale) -> Markup:
    places = [(round(x.at(each.true)), round(y.at(each.predicted))) for each in graphs if each.family == family]
    return marks(dict.fromkeys(places), figure_of(place), kind=kind_of(place))
