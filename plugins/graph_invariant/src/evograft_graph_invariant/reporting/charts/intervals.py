"""|ρ| on every data set, with its 95 % interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from evograft_graph_invariant.records.summary.model import SetScore
from evograft_graph_invariant.reporting.wording import ReportWording
from evograft_report.toolkit.axes import x_axis
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.scale import AxisScale, scale
from evograft_report.toolkit.svg import circle, fit_text, join, line, marks, text

ROW = 36.0
"""The height of a row: a name, and the interval 24 below its top."""


@dataclass(frozen=True)
class IntervalRow:
    """A data set."""

    name: str
    rho: float
    """Without its sign, like all of these."""
    ends: tuple[float, float] | None
    """Of the interval."""
    rival: float | None
    """The symbolic baseline's |ρ|."""


def ends_of(score: SetScore) -> tuple[float, float] | None:
    """Return the interval of |ρ|; `None` if it was not recorded."""
    if score.rho is None or score.low is None or score.high is None:
        return None
    return (score.low, score.high) if score.rho >= 0 else (-score.high, -score.low)


def row_of(name: str, score: SetScore | None, rival: float | None) -> IntervalRow | None:
    """`None` where ρ was not recorded."""
    if score is None or score.rho is None:
        return None
    return IntervalRow(name, abs(score.rho), ends_of(score), None if rival is None else abs(rival))


def draw_intervals(name: str, title: str, rows: Sequence[IntervalRow], w: ReportWording) -> Chart | None:
    if not rows:
        return None
    values = [value for row in rows for value in (row.rho, row.rival, *(row.ends or ())) if value is not None]
    least = max(0.0, min(values))

    def draw(area: Area) -> Markup:
        # Names stand above their rows, so nothing is needed on the left.
        area = Area(area.size, 16.0, area.top, area.right, area.bottom)
        x = scale([least, 1.0], area.left + 6, area.right - 6, margin=0.02)
        grid = [line(x.at(tick), area.top, x.at(tick), area.bottom, kind="grid") for tick in x.ticks(5)]
        height = (area.bottom - area.top) / len(rows)
        drawn = [_row(row, area.top + height * place, x, area, w) for place, row in enumerate(rows)]
        return join([*grid, *drawn, x_axis(area, x, w.t("axis.rho"))])

    legend = [
        LegendEntry("best", w.t("intervals.own"), "dot"),
        LegendEntry("interval", w.t("intervals.interval"), "line"),
    ]
    if any(row.rival is not None for row in rows):
        legend.append(LegendEntry("rival", w.t("intervals.rival"), "tick"))
    return Chart(name, title, w.t("intervals.what"), tuple(legend), draw, height=ROW * len(rows) + 76)


def _row(row: IntervalRow, top: float, x: AxisScale, area: Area, w: ReportWording) -> Markup:
    middle = top + 24
    rival = [] if row.rival is None else [marks([(round(x.at(row.rival)), round(middle - 6))], "v12", kind="rival")]
    ends = [line(x.at(row.ends[0]), middle, x.at(row.ends[1]), middle, kind="line interval")] if row.ends else []
    said = f"{row.name}: {w.number(row.rho, '.4f')}"
    return join(
        [
            text(area.left, top + 12, fit_text(said, area.right - area.left), kind="label"),
            *ends,
            *rival,
            circle(x.at(row.rho), middle, 4, kind="own", title=said),
        ]
    )
