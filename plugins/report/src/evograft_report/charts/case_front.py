"""A strip for each trial on the frontier of cases: where it is the best."""

from __future__ import annotations

from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_report.figures.front import CaseFrontFigures
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.svg import EM, bar, join, line, text

MOST_STRIPS = 16
STRIP = 20.0
"""The height of a strip, with the gap below it."""
AROUND = 68.0
"""The height of the legend and of the words below the strips."""


def draw_case_front_chart(front: CaseFrontFigures | None, t: Catalog) -> Chart | None:
    """Draw who is the best where; `None` if no selection went by cases."""
    if front is None:
        return None
    strips = front.rows[:MOST_STRIPS]
    places = {row.trial: place for place, row in enumerate(strips)}

    def draw(area: Area) -> Markup:
        width = (area.right - area.left) / len(front.cases)
        gap = min(1.0, width / 5)
        height = (area.bottom - area.top) / len(strips)

        def fill(column: int, trial: int, *, name: str, is_alone: bool) -> Markup:
            return bar(
                area.left + column * width,
                area.top + places[trial] * height + 2,
                width - gap,
                height - 4,
                kind="best" if is_alone else "ok",
                title=t("cases.cell", trial=trial, name=name),
            )

        return join(
            [
                *(
                    text(area.left - 8, area.top + (place + 0.5) * height + EM / 3, str(trial), anchor="end")
                    for trial, place in places.items()
                ),
                *(
                    fill(column, trial, name=case.name, is_alone=case.is_alone)
                    for column, case in enumerate(front.cases)
                    for trial in case.trials
                    if trial in places
                ),
                line(area.left, area.bottom, area.right, area.bottom, kind="axis"),
                text(area.right, area.size.height - 5, t("cases.across"), anchor="end", kind="label"),
            ]
        )

    cases = len(front.cases) + front.cases_left_out
    description = t("cases.description", n=len(front.rows) + front.left_out, cases=cases, rows=len(strips))
    legend = (
        LegendEntry("best", t("charts.case_alone"), "bar"),
        LegendEntry("ok", t("charts.case_shared"), "bar"),
    )
    height = AROUND + STRIP * len(strips)
    return Chart("case_front", t("charts.case_front"), description, legend, draw, height=height)
