"""Best and mean of each island, side by side on the same axes."""

from __future__ import annotations

from itertools import pairwise

from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_report.figures.islands import IslandFigures, Islands, IslandStep
from evograft_report.toolkit import numbers
from evograft_report.toolkit.axes import x_axis, y_axis
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.scale import AxisScale, floor_of, scale
from evograft_report.toolkit.svg import SMALL, join, path


def draw_island_charts(islands: Islands, t: Catalog) -> tuple[Chart, ...]:
    """Draw one chart each; none if there is only one island."""
    steps = [step for island in islands.shown for step in island.steps]
    if not islands.shown[1:] or not steps:
        return ()
    values = [
        value
        for step in sorted(steps, key=lambda step: step.commits)
        for value in (step.best, step.mean)
        if value is not None
    ]
    low, high = floor_of(values), max(values)
    last = max(step.commits for step in steps)
    return tuple(_chart(island, (low, high), last, t) for island in islands.shown)


def _chart(island: IslandFigures, ends: tuple[float, float], last: int, t: Catalog) -> Chart:
    def draw(area: Area) -> Markup:
        x = AxisScale(0.0, float(last), area.left, area.right)
        y = scale(ends, area.bottom, area.top, margin=0.04)
        return join(
            [
                y_axis(area, y, most=4),
                x_axis(area, x, t("axis.trials")),
                path(_means(island.steps, x, y), kind="line mean"),
                path(_bests(island.steps, x, y), kind="line best"),
            ]
        )

    name = island.name or t("islands.number", number=island.number)
    description = t(
        "islands.course",
        n=island.trials,
        best=numbers.score(island.best),
        trial="–" if island.best_trial is None else island.best_trial,
        mean=numbers.score(island.mean),
        visitors=island.visitors,
    )
    legend = (LegendEntry("best", t("charts.best"), "line"), LegendEntry("mean", t("charts.mean"), "line"))
    return Chart(f"island-{island.number}", name, description, legend, draw, sizes=(SMALL,))


def _means(steps: tuple[IslandStep, ...], x: AxisScale, y: AxisScale) -> list[tuple[float, float]]:
    return [(x.at(step.commits), y.at(step.mean)) for step in steps if step.mean is not None]


def _bests(steps: tuple[IslandStep, ...], x: AxisScale, y: AxisScale) -> list[tuple[float, float]]:
    """Return a staircase: the best holds until the next."""
    corners = [(x.at(step.commits), y.at(step.best)) for step in steps]
    between = [(right[0], left[1]) for left, right in pairwise(corners)]
    return [corner for pair in zip(corners, [*between, corners[-1]], strict=True) for corner in pair] if corners else []
