"""Outcomes of the trials, in the course of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_report.figures.trial_points import Outcome, Point
from evograft_report.toolkit import numbers
from evograft_report.toolkit.axes import percents, x_axis, y_axis
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.scale import AxisScale
from evograft_report.toolkit.svg import bar, join

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
BINS = {"wide": 60, "narrow": 30, "small": 30}


def draw_outcomes_chart(points: Sequence[Point], t: Catalog) -> Chart | None:
    """Draw shares of outcomes; `None` if there is just one."""
    totals = Counter(point.outcome for point in points)
    if len(totals) <= 1:
        return None

    def draw(area: Area) -> Markup:
        x = AxisScale(0.0, float(len(points)), area.left, area.right)
        y = AxisScale(0.0, 1.0, area.bottom, area.top)
        width = max(1, -(-len(points) // BINS[area.size.name]))
        bars = [
            each
            for first in range(0, len(points), width)
            for each in _stack(points[first : first + width], first, x, y, t)
        ]
        percent = y_axis(area, y, format_=percents, most=3)
        return join([percent, x_axis(area, x, t("axis.trials")), *bars])

    shares = ", ".join(
        f"{t(f'outcome.{each}')} {numbers.percent(totals[each], len(points))}" for each in OUTCOMES if totals[each]
    )
    legend = tuple(LegendEntry(each, t(f"outcome.{each}"), "bar") for each in OUTCOMES if each in totals)
    return Chart("outcomes", t("charts.outcomes"), shares, legend, draw, height=200)


def _stack(points: Sequence[Point], first: int, x: AxisScale, y: AxisScale, t: Catalog) -> list[Markup]:
    counts, below, parts = Counter(point.outcome for point in points), 0, []
    left, right = x.at(first), x.at(first + len(points))
    for outcome in OUTCOMES:
        if not counts[outcome]:
            continue
        low, high = y.at(below / len(points)), y.at((below + counts[outcome]) / len(points))
        below += counts[outcome]
        title = t(
            "charts.bin", first=first, last=first + len(points) - 1, what=t(f"outcome.{outcome}"), n=counts[outcome]
        )
        gap = min(1.0, (right - left) / 5)
        parts.append(bar(left, high, right - left - gap, low - high, kind=outcome, title=title))
    return parts
