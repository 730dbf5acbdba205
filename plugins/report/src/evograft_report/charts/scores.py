"""Scores over trials, and over what they cost: each trial a mark, the best so far a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_report.figures.run_figures import RunFigures
from evograft_report.figures.trial_points import Point
from evograft_report.toolkit import numbers
from evograft_report.toolkit.axes import Format, x_axis, y_axis
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.scale import AxisScale, floor_of, floor_of_best, scale
from evograft_report.toolkit.svg import circle, dots, join, marks, path

MOST_DOTS = {"wide": 4000, "narrow": 1500, "small": 1500}
"""Of a kind; dots that fall on the same place are one."""
MOST_STEPS = 150
"""Marked improvements."""
APART = 7.0
"""How far marks of improvements lie from one another at least."""
BAND = 14.0
"""The height of the strip below the area, for trials without a score."""
MARKED_BELOW = 0.1
"""Scores below the axis are marked as long as they are no more than this share of all."""
HANDY = 180
"""So many of a unit of time are still handy."""
UNSCORED = ("rejected", "pruned", "failed")

Place = tuple[int, int]


def draw_scores_chart(figures: RunFigures, t: Catalog) -> Chart | None:
    """Draw scores in the order of commits."""
    across = _Across(tuple(float(place) for place in range(len(figures.points))), t("axis.trials"), numbers.ticks)
    return _scatter("scores", t("charts.scores"), figures, across, floor_of, t)


def draw_spending_chart(figures: RunFigures, t: Catalog) -> Chart | None:
    """Draw the upper part over dollars.

    Over tokens if dollars are unknown or none, and over time if no model was asked.
    """
    points, total = figures.points, figures.costs
    if total.dollars:
        across = _Across(tuple(point.dollars for point in points), t("axis.dollars"), _prices)
        title = t("charts.scores_dollars")
    elif total.total.prompt_tokens + total.total.completion_tokens:
        across = _Across(tuple(float(point.tokens) for point in points), t("axis.tokens"), numbers.ticks)
        title = t("charts.scores_tokens")
    else:
        unit, label = _unit_of(figures.head.elapsed)
        across = _Across(tuple(point.elapsed / unit for point in points), t(label), numbers.ticks)
        title = t("charts.scores_time")
    return _scatter("spending", title, figures, across, floor_of_best, t)


@dataclass(frozen=True)
class _Across:
    """The axis from left to right."""

    values: tuple[float, ...]
    """One a trial."""
    label: str
    form: Format


@dataclass(frozen=True)
class _Picture:
    """Trials at their places in an area."""

    points: Sequence[Point]
    xs: Sequence[float]
    y: AxisScale
    area: Area

    def dots(self, outcome: str) -> Iterable[Place]:
        return (
            (round(x), round(self.y.at(point.score)))
            for point, x in zip(self.points, self.xs, strict=True)
            if point.outcome == outcome and point.score is not None and point.score >= self.y.low
        )

    def below(self) -> Iterable[Place]:
        """Return scores too low for the area."""
        return (
            (round(x), round(self.area.bottom))
            for point, x in zip(self.points, self.xs, strict=True)
            if point.score is not None and point.score < self.y.low
        )

    def unscored(self, outcome: str) -> Iterable[Place]:
        return (
            (round(x), round(self.area.bottom + 3))
            for point, x in zip(self.points, self.xs, strict=True)
            if point.outcome == outcome and point.score is None
        )

    def best(self) -> list[tuple[float, float]]:
        """Return the corners of the line of the best so far."""
        steps = [
            (x, self.y.at(point.score or 0.0)) for point, x in zip(self.points, self.xs, strict=True) if point.is_best
        ]
        corners: list[tuple[float, float]] = []
        for x, y in steps:
            if corners and round(corners[-1][1], 1) == round(y, 1):
                continue
            corners += [(x, corners[-1][1])] if corners else []
            corners.append((x, y))
        end = max(self.xs, default=0.0)
        return [*corners, (end, corners[-1][1])] if corners else []

    def improvements(self) -> list[tuple[float, float, Point]]:
        """Return the marked improvements; of those that lie close together the last."""
        found: list[tuple[float, float, Point]] = []
        for point, x in zip(self.points, self.xs, strict=True):
            if point.is_best and point.score is not None and point.score >= self.y.low:
                place = (x, self.y.at(point.score), point)
                if found and abs(found[-1][0] - x) + abs(found[-1][1] - place[1]) < APART:
                    found.pop()
                found.append(place)
        return found[-MOST_STEPS:]


def _scatter(
    name: str,
    title: str,
    figures: RunFigures,
    across: _Across,
    floor: Callable[[Sequence[float]], float],
    t: Catalog,
) -> Chart | None:
    points = figures.points
    scored = [point.score for point in points if point.score is not None]
    if not points:
        return None
    low = floor(scored) if scored else 0.0
    below = sum(value < low for value in scored)
    few_below = below <= len(scored) * MARKED_BELOW

    def draw(area: Area) -> Markup:
        area = replace(area, bottom=area.bottom - BAND)
        x = scale(across.values, area.left + 6, area.right)
        y = scale([low, max(scored, default=1.0)], area.bottom, area.top, margin=0.04)
        y = replace(y, low=max(y.low, low)) if below else y
        picture = _Picture(points, [x.at(value) for value in across.values], y, area)
        return join(
            [
                y_axis(area, y),
                x_axis(area, x, across.label, format_=across.form, down=BAND),
                *_unscored(picture),
                *([marks(_thin_out(picture.below(), area), "l-3-5h6z", kind="below")] if few_below else []),
                dots(_thin_out(picture.dots("duplicate"), area), kind="duplicate"),
                dots(_thin_out(picture.dots("ok"), area), kind="ok"),
                path(picture.best(), kind="line best"),
                *(
                    circle(x, y, 3, kind="step", title=t("charts.step", trial=p.trial, score=numbers.score(p.score)))
                    for x, y, p in picture.improvements()
                ),
            ]
        )

    description = _description(figures, t)
    if not few_below:
        description = f"{description} {t('charts.below_many', n=below)}"
    return Chart(name, title, description, _legend(points, below if few_below else 0, t), draw)


def _unscored(picture: _Picture) -> list[Markup]:
    return [
        marks(_thin_out(picture.unscored(outcome), picture.area), "v9", kind=outcome)
        for outcome in ("duplicate", *UNSCORED)
    ]


def _thin_out(places: Iterable[Place], area: Area) -> list[Place]:
    """Return each place once, in order, and no more than can be distinguished."""
    found = list(dict.fromkeys(places))
    most = MOST_DOTS[area.size.name]
    return found[:: -(-len(found) // most)] if found else []


def _legend(points: Sequence[Point], below: int, t: Catalog) -> tuple[LegendEntry, ...]:
    outcomes = {point.outcome for point in points}
    entries = [LegendEntry("ok", t("outcome.ok"), "dot"), LegendEntry("best", t("charts.best"), "line")]
    if "duplicate" in outcomes:
        entries.append(LegendEntry("duplicate", t("outcome.duplicate"), "dot"))
    entries += [LegendEntry(each, t(f"outcome.{each}"), "tick") for each in UNSCORED if each in outcomes]
    if below:
        entries.append(LegendEntry("below", t("charts.below", count=numbers.count(below)), "below"))
    return tuple(entries)


def _description(figures: RunFigures, t: Catalog) -> str:
    steps = [point for point in figures.points if point.is_best]
    if not steps:
        return t("charts.no_score", n=len(figures.points))
    return t(
        "charts.course",
        n=len(figures.points),
        first=numbers.score(steps[0].score),
        first_trial=steps[0].trial,
        last=numbers.score(steps[-1].score),
        last_trial=steps[-1].trial,
        steps=len(steps) - 1,
    )


def _prices(values: Sequence[float]) -> list[str]:
    return [f"${word}" for word in numbers.ticks(values)]


def _unit_of(seconds: float) -> tuple[float, str]:
    """Return the unit in which a run's time is a handy number, in seconds, and its name."""
    units = ((1.0, "axis.seconds"), (60.0, "axis.minutes"), (3600.0, "axis.hours"))
    return next((each for each in units if seconds < HANDY * each[0]), units[-1])
