"""Scores over generations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_ahc.reporting.score_history import Generation
from evograft_report.toolkit import numbers
from evograft_report.toolkit.axes import x_axis, y_axis
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.scale import AxisScale, floor_of, scale
from evograft_report.toolkit.svg import dots, join, path


def draw_generations(generations: Sequence[Generation], t: Catalog) -> Chart | None:
    """Draw the best of each generation, the mean, and the best so far; `None`: there are not yet two generations."""
    if len(generations) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    bests = [generation.best for generation in generations]
    means = [generation.mean for generation in generations]
    so_far = list(accumulate(bests, max))

    def draw(area: Area) -> Markup:
        x = AxisScale(float(generations[0].number), float(generations[-1].number), area.left, area.right)
        y = scale([floor_of([*bests, *means]), max(bests)], area.bottom, area.top, margin=0.04)
        xs = [x.at(generation.number) for generation in generations]
        return join(
            [
                y_axis(area, y),
                x_axis(area, x, t("axis.generations"), format_=_whole),
                path(zip(xs, map(y.at, means), strict=True), kind="line mean"),
                path(zip(xs, map(y.at, so_far), strict=True), kind="line best"),
                dots([(round(at), round(y.at(best))) for at, best in zip(xs, bests, strict=True)], kind="ok"),
            ]
        )

    legend = (
        LegendEntry("best", t("generations.so_far"), "line"),
        LegendEntry("ok", t("generations.best"), "dot"),
        LegendEntry("mean", t("generations.mean"), "line"),
    )
    description = t(
        "generations.course", n=len(generations), first=numbers.score(so_far[0]), last=numbers.score(so_far[-1])
    )
    return Chart("ahc-generations", t("generations.title"), description, legend, draw)


def _whole(values: Sequence[float]) -> list[str]:
    """Return the words for whole numbers only: there is no half generation."""
    return [f"{value:g}" if value.is_integer() else "" for value in values]
