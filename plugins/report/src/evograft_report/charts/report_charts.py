"""The charts of a report, drawn from its figures; each is left out where it would show nothing."""

from __future__ import annotations

from dataclasses import dataclass

from evograft.text.i18n import Catalog
from evograft_report.charts.case_front import draw_case_front_chart
from evograft_report.charts.front import draw_front_chart
from evograft_report.charts.islands import draw_island_charts
from evograft_report.charts.line_cycling import draw_cycling_chart
from evograft_report.charts.outcomes import draw_outcomes_chart
from evograft_report.charts.scores import draw_scores_chart, draw_spending_chart
from evograft_report.figures.run_figures import RunFigures
from evograft_report.toolkit.chart import Chart

__all__ = ["ReportCharts", "draw_charts"]


@dataclass(frozen=True)
class ReportCharts:
    """The charts of one report."""

    scores: Chart | None
    spending: Chart | None
    outcomes: Chart | None
    front: Chart | None
    case_front: Chart | None
    islands: tuple[Chart, ...]
    cycling: Chart | None

    @property
    def all(self) -> tuple[Chart, ...]:
        several = (
            *(self.scores, self.spending, self.outcomes, self.front, self.case_front),
            *(*self.islands, self.cycling),
        )
        return tuple(chart for chart in several if chart is not None)


def draw_charts(figures: RunFigures, t: Catalog) -> ReportCharts:
    return ReportCharts(
        scores=draw_scores_chart(figures, t),
        spending=draw_spending_chart(figures, t),
        outcomes=draw_outcomes_chart(figures.points, t),
        front=draw_front_chart(figures.front, t),
        case_front=draw_case_front_chart(figures.case_front, t),
        islands=draw_island_charts(figures.islands, t),
        cycling=draw_cycling_chart(figures.cycling, t),
    )
