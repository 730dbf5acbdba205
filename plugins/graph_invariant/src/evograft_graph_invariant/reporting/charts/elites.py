"""The map of elites as a heat map: the colour and the number are the best score of a cell, below it how many."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from evograft_graph_invariant.reporting.elites import BINS, Cell, EliteMap, get_edges
from evograft_graph_invariant.reporting.wording import ReportWording
from evograft_report.toolkit import numbers
from evograft_report.toolkit.chart import Area, Chart
from evograft_report.toolkit.scale import AxisScale
from evograft_report.toolkit.svg import EM, bar, fit_text, join, text

LEAST, MOST = 1e-4, 1e4
"""Steps between the borders of cells that are written in full."""
WARMTHS = 5
"""Colours of the cells, from the worst to the best."""


def draw_elites(name: str, title: str, found: EliteMap | None, w: ReportWording) -> Chart | None:
    if found is None:
        return None

    def draw(area: Area) -> Markup:
        x, y = AxisScale(0, BINS, area.left, area.right), AxisScale(0, BINS, area.bottom, area.top + 14)
        filled = {(cell.column, cell.row): cell for cell in found.cells}
        empty = [
            bar(x.at(column) + 1, y.at(row + 1) + 1, x.at(1) - x.at(0) - 2, y.at(0) - y.at(1) - 2, kind="empty")
            for column in range(BINS)
            for row in range(BINS)
            if (column, row) not in filled
        ]
        cells = [_cell(cell, warmth_of(cell, found), x, y, w) for cell in found.cells]
        return join([*empty, *cells, *_labels(found, area, x, y, w)])

    return Chart(name, title, w.t("elites.what", n=sum(cell.count for cell in found.cells)), (), draw, height=380)


def warmth_of(cell: Cell, found: EliteMap) -> int:
    """Return from 0 to 4, by rank: on a scale of scores, one bad cell would make all others alike."""
    return (sum(each.score <= cell.score for each in found.cells) * WARMTHS - 1) // len(found.cells)


def _cell(cell: Cell, warmth: int, x: AxisScale, y: AxisScale, w: ReportWording) -> Markup:
    left, top = x.at(cell.column), y.at(cell.row + 1)
    width, height = x.at(1) - x.at(0), y.at(0) - y.at(1)
    score = w.number(cell.score)
    title = w.t("elites.cell", score=score, trial=cell.best.trial, n=cell.count)
    middle, kind = left + width / 2, f"on-{warmth}"
    return join(
        [
            bar(left + 1, top + 1, width - 2, height - 2, kind=f"heat-{warmth}", title=title),
            text(middle, top + height / 2 - 1, fit_text(score, width - 4), anchor="middle", kind=f"cell {kind}"),
            text(middle, top + height / 2 + EM + 2, f"× {numbers.short(cell.count)}", anchor="middle", kind=kind),
        ]
    )


def _labels(found: EliteMap, area: Area, x: AxisScale, y: AxisScale, w: ReportWording) -> list[Markup]:
    across = [
        text(x.at(place), area.bottom + 17, word, anchor="end" if place == BINS else "middle")
        for place, word in _words(found.simplicity)
    ]
    up = [text(area.left - 7, y.at(place) + EM / 3, word, anchor="end") for place, word in _words(found.novelty)]
    width = area.right - area.left
    names = [
        text(area.right, area.size.height - 5, fit_text(w.t("axis.simplicity"), width), anchor="end", kind="label"),
        text(area.left, area.top + 6, fit_text(w.t("axis.novelty"), width), kind="label"),
    ]
    return [*across, *up, *names]


def _words(ends: tuple[float, float]) -> Sequence[tuple[int, str]]:
    borders = get_edges(ends)
    step = borders[1] - borders[0]
    if not LEAST < step < MOST:
        return list(enumerate(f"{edge:.2g}" for edge in borders))
    decimals = max(0, 1 - math.floor(math.log10(step)))
    return list(enumerate(numbers.ticks([round(edge, decimals) for edge in borders])))
