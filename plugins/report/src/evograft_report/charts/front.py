"""The first two objectives of all trials, with the front among them."""

from __future__ import annotations

from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_report.figures.front import FrontFigures
from evograft_report.toolkit import numbers
from evograft_report.toolkit.axes import x_axis, y_axis
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.scale import scale
from evograft_report.toolkit.svg import circle, dots, join, path

MOST_DOTS = 3000


def draw_front_chart(front: FrontFigures | None, t: Catalog) -> Chart | None:
    """Draw the front; `None` if the run has fewer than two objectives."""
    if front is None or not front.places:
        return None
    across, upward = front.names[:2]
    best = [
        (each.objectives[across], each.objectives[upward], each)
        for each in front.rows
        if across in each.objectives and upward in each.objectives
    ]

    def draw(area: Area) -> Markup:
        x = scale([place[0] for place in front.places], area.left + 6, area.right - 6, margin=0.03)
        y = scale([place[1] for place in front.places], area.bottom, area.top, margin=0.04)
        places = list(dict.fromkeys((round(x.at(one)), round(y.at(two))) for one, two in front.places))
        steps = sorted((x.at(one), y.at(two)) for one, two, _ in best)
        return join(
            [
                y_axis(area, y),
                x_axis(area, x, t("front.across", across=across, upward=upward)),
                dots(places[:: -(-len(places) // MOST_DOTS)], kind="ok"),
                *([path(steps, kind="line best")] if len(front.names) == 2 else []),  # noqa: PLR2004 - a plane
                *(
                    circle(
                        x.at(one),
                        y.at(two),
                        3.5,
                        kind="step",
                        title=t("charts.step", trial=each.trial, score=numbers.score(each.score)),
                    )
                    for one, two, each in best
                ),
            ]
        )

    legend = (LegendEntry("ok", t("outcome.ok"), "dot"), LegendEntry("best", t("charts.front_line"), "line"))
    description = t("front.description", n=len(front.rows) + front.left_out, across=across, upward=upward)
    return Chart("front", t("charts.front"), description, legend, draw)
