"""Tests one after the other: what each reached of the best scores that are known today."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_ahc.scores.run import ScoredRun
from evograft_ahc.scores.table import ScoreTable
from evograft_report.toolkit.axes import x_axis, y_axis
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.scale import AxisScale, floor_of, scale
from evograft_report.toolkit.svg import dots, join, path


def draw_tests(runs: Sequence[ScoredRun], table: ScoreTable, t: Catalog) -> Chart | None:
    """Draw the mean relative score of each run and the best so far, in percent; `None`: there are not yet two runs.

    Args:
        runs: the newest last.
        table: of all runs.
        t: the words.
    """
    if len(runs) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    shares = [100 * table.relative_of(run.scores) for run in runs]
    so_far = list(accumulate(shares, max))

    def draw(area: Area) -> Markup:
        x = AxisScale(1.0, float(len(runs)), area.left, area.right)
        y = scale([floor_of(shares), max(shares)], area.bottom, area.top, margin=0.04)
        xs = [x.at(number) for number in range(1, len(runs) + 1)]
        return join(
            [
                y_axis(area, y),
                x_axis(area, x, t("axis.tests"), format_=_whole),
                path(zip(xs, map(y.at, so_far), strict=True), kind="line best"),
                dots([(round(at), round(y.at(share))) for at, share in zip(xs, shares, strict=True)], kind="ok"),
            ]
        )

    legend = (LegendEntry("best", t("tests.so_far"), "line"), LegendEntry("ok", t("tests.run"), "dot"))
    description = t("tests.course", n=len(runs), last=f"{shares[-1]:.2f}", best=f"{so_far[-1]:.2f}")
    return Chart("ahc-tests", t("tests.title"), description, legend, draw)


def _whole(values: Sequence[float]) -> list[str]:
    return [f"{value:g}" if value.is_integer() else "" for value in values]
