"""The share of added lines that come back, in the course of the run."""

from __future__ import annotations

from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_report.figures.line_cycling import CyclingFigures
from evograft_report.toolkit import numbers
from evograft_report.toolkit.axes import percents, x_axis, y_axis
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.scale import AxisScale
from evograft_report.toolkit.svg import bar, join


def draw_cycling_chart(returns: CyclingFigures, t: Catalog) -> Chart | None:
    """Draw the share of lines that came back; `None` if no line ever did."""
    bins = [each for each in returns.bins if each.share.added]
    if not returns.total.cycled:
        return None
    highest = max(each.share.share or 0.0 for each in bins)

    def draw(area: Area) -> Markup:
        x = AxisScale(0.0, float(returns.bins[-1].last), area.left, area.right)
        y = AxisScale(0.0, min(1.0, highest * 1.1), area.bottom, area.top)
        bars = [
            bar(
                x.at(each.first),
                y.at(each.share.share or 0.0),
                (x.at(each.last) - x.at(each.first)) * 0.85,
                area.bottom - y.at(each.share.share or 0.0),
                kind="cycled",
                title=t(
                    "cycling.bin",
                    first=each.first,
                    last=each.last - 1,
                    cycled=each.share.cycled,
                    n=each.share.added,
                ),
            )
            for each in bins
        ]
        percent = y_axis(area, y, format_=percents, most=4)
        return join([percent, x_axis(area, x, t("axis.trials")), *bars])

    total = returns.total
    description = t("cycling.sum", cycled=total.cycled, n=total.added, share=numbers.percent(total.cycled, total.added))
    legend = (LegendEntry("cycled", t("charts.cycled"), "bar"),)
    return Chart("cycling", t("charts.cycling"), description, legend, draw, height=200)
