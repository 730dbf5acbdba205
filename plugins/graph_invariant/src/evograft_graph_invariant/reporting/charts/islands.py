"""The best of each island over the generations, and where it ran dry."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from evograft_graph_invariant.records.summary.model import FallbackRecord, IslandRecord
from evograft_graph_invariant.reporting.wording import ReportWording
from evograft_report.toolkit.axes import x_axis, y_axis
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.scale import AxisScale, floor_of, scale
from evograft_report.toolkit.svg import SMALL, bar, join, marks, path

MOST_SHOWN = 12


def draw_islands(
    phase: str, islands: Sequence[IslandRecord], fallbacks: Sequence[FallbackRecord], w: ReportWording
) -> tuple[Chart, ...]:
    """One each, on the same axes."""
    shown = [island for island in islands if any(best is not None for best in island.best_by_generation)][:MOST_SHOWN]
    scores = [best for island in shown for best in island.best_by_generation if best is not None]
    if not shown:
        return ()
    ends = floor_of(scores), max(scores)
    last = max(len(island.best_by_generation) for island in shown) - 1
    return tuple(
        _chart(phase, island, [each for each in fallbacks if each.island == island.number], ends, last, w)
        for island in shown
    )


def name_of(island: IslandRecord, w: ReportWording) -> str:
    """Its number and its name."""
    number = w.t("islands.number", number=island.number)
    return f"{number} · {w.text(island.name, 60)}" if island.name else number


def _chart(
    phase: str,
    island: IslandRecord,
    fallbacks: Sequence[FallbackRecord],
    ends: tuple[float, float],
    last: int,
    w: ReportWording,
) -> Chart:
    periods = _constrained(fallbacks, last)
    asked = [
        min(each.generation, last)
        for each in fallbacks
        if each.kind == "fallback_model" and each.generation is not None
    ]

    def draw(area: Area) -> Markup:
        x = scale([0.0, float(max(last, 1))], area.left, area.right)
        y = scale(ends, area.bottom, area.top, margin=0.04)
        dry = [
            bar(x.at(first), area.top, x.at(end) - x.at(first), area.bottom - area.top, kind="dry")
            for first, end in periods
        ]
        places = [(round(x.at(generation)), round(area.bottom)) for generation in asked]
        return join(
            [
                *dry,
                y_axis(area, y, most=4),
                x_axis(area, x, w.t("axis.generation")),
                path(_corners(island.best_by_generation, x, y), kind="line best"),
                marks(places, "v-10", kind="asked"),
            ]
        )

    legend = [LegendEntry("best", w.t("islands.best"), "line")]
    legend += [LegendEntry("dry", w.t("islands.dry"), "bar")] if periods else []
    legend += [LegendEntry("asked", w.t("islands.asked"), "tick")] if asked else []
    best = [each for each in island.best_by_generation if each is not None]
    description = w.t(
        "islands.course",
        strategy=w.text(island.strategy, 60),
        temperature=w.number(island.temperature),
        best=w.number(best[-1]),
    )
    return Chart(
        f"{phase}-island-{island.number}", name_of(island, w), description, tuple(legend), draw, sizes=(SMALL,)
    )


def _corners(bests: Sequence[float | None], x: AxisScale, y: AxisScale) -> list[tuple[float, float]]:
    """Return the corners of a staircase: the best holds until the next."""
    corners: list[tuple[float, float]] = []
    for generation, best in enumerate(bests):
        if best is None:
            continue
        if corners:
            corners.append((x.at(generation), corners[-1][1]))
        corners.append((x.at(generation), y.at(best)))
    return corners


def _constrained(fallbacks: Sequence[FallbackRecord], last: int) -> list[tuple[int, int]]:
    """Return the periods under constraint, from generation to generation."""
    periods: list[tuple[int, int]] = []
    since: int | None = None
    for each in fallbacks:
        if each.generation is None:
            continue
        generation = min(each.generation, last)
        if each.kind == "constrained_on" and since is None:
            since = generation
        elif each.kind == "constrained_off" and since is not None:
            periods.append((since, generation))
            since = None
    return periods if since is None else [*periods, (since, last)]
