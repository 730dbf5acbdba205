"""The charts of a report, drawn from its figures; each is left out where it would show nothing."""

from __future__ import annotations

from dataclasses import dataclass

from evograft.text.i18n import Catalog
from evograft_report.charts.islands import island_charts
from evograft_report.charts.line_cycling import cycling_chart
from evograft_report.charts.outcomes import outcomes_chart
from evograft_report.charts.scores import scores_chart, spending_chart
from evograft_report.figures.run_figures import Figures
from evograft_report.toolkit.chart import Chart

__all__ = ["Charts", "charts_of"]


@dataclass(frozen=True)
class Charts:
    """Those of one report."""

    scores: Chart | None
    spending: Chart | None
    outcomes: Chart | None
    islands: tuple[Chart, ...]
    cycling: Chart | None

    @property
    def all(self) -> tuple[Chart, ...]:
        several = (self.scores, self.spending, self.outcomes, *self.islands, self.cycling)
        return tuple(chart for chart in several if chart is not None)


def charts_of(figures: Figures, t: Catalog) -> Charts:
    return Charts(
        scores=scores_chart(figures, t),
        spending=spending_chart(figures, t),
        outcomes=outcomes_chart(figures.points, t),
        islands=island_charts(figures.islands, t),
        cycling=cycling_chart(figures.cycling, t),
    )
