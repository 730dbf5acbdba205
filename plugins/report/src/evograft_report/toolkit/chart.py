"""A chart: what is drawn, around it a title for those who can't see it and a legend, at every size that is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from evograft_report.toolkit.svg import (
    EM,
    LINE,
    NARROW,
    WIDE,
    Size,
    dots,
    estimate_width,
    fit_text,
    join,
    line,
    marks,
    text,
)

LEFT = 62.0
"""Room for the words of the axis on the left."""
TITLE = 30.0
"""The height of the title of a file of its own."""


@dataclass(frozen=True)
class LegendEntry:
    """A line of the legend."""

    kind: str
    """The class of what it explains."""
    label: str
    mark: Literal["dot", "line", "bar", "tick", "below", "figure"]
    figure: str = ""
    """The path of a mark around its place."""


@dataclass(frozen=True)
class Area:
    """The part of a drawing between its axes."""

    size: Size
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Chart:
    """A picture of figures."""

    name: str
    """For files and for links between parts of it."""
    title: str
    description: str
    """What it shows, in words."""
    legend: tuple[LegendEntry, ...]
    draw: Callable[[Area], Markup]
    height: float = WIDE.height
    sizes: tuple[Size, ...] = (WIDE, NARROW)

    def drawings(self) -> Markup:
        """Draw the chart at all sizes; the page shows the one that fits."""
        return join(self._svg(self._tall(size)) for size in self.sizes)

    def file(self, style: str) -> str:
        """Return an SVG file of its own.

        Args:
            style: CSS without variables.
        """
        size = self._tall(self.sizes[0])
        shape = Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{w}" height="{h}" viewBox="0 0 {w} {h}">'
            "<title>{title}</title><desc>{desc}</desc><style>{style}</style>"
            '<rect class="paper" width="{w}" height="{h}"/>{head}<g transform="translate(0 {down})">{inner}</g></svg>\n'
        )
        return shape.format(
            w=f"{size.width:g}",
            h=f"{size.height + TITLE:g}",
            title=self.title,
            desc=self.description,
            style=Markup(style),  # noqa: S704 - our own file
            head=text(16, 22, fit_text(self.title, size.width - 32), kind="title"),
            down=f"{TITLE:g}",
            inner=self._inner(size),
        )

    def _tall(self, size: Size) -> Size:
        return size.of(self.height if size.name == "wide" else min(size.height, self.height))

    def _svg(self, size: Size) -> Markup:
        shape = Markup(
            '<svg class="chart {size}" viewBox="0 0 {w} {h}" role="img" aria-labelledby="{id}-t {id}-d">'
            '<title id="{id}-t">{title}</title><desc id="{id}-d">{desc}</desc>{inner}</svg>'
        )
        return shape.format(
            size=size.name,
            w=f"{size.width:g}",
            h=f"{size.height:g}",
            id=f"{self.name}-{size.name}",
            title=self.title,
            desc=self.description,
            inner=self._inner(size),
        )

    def _inner(self, size: Size) -> Markup:
        legend, lines = _legend(self.legend, size)
        area = Area(size, left=LEFT, top=LINE * lines + 12, right=size.width - 14, bottom=size.height - 42)
        return legend + self.draw(area)


def _legend(entries: tuple[LegendEntry, ...], size: Size) -> tuple[Markup, int]:
    """Draw the legend, and return how many lines it takes, too."""
    parts, x, row = [], LEFT, 1
    for entry in entries:
        width = 26 + estimate_width(entry.label) + 14
        if x + width > size.width and x > LEFT:
            x, row = LEFT, row + 1
        middle = row * LINE - 4
        parts.append(_swatch(entry, x, middle))
        parts.append(text(x + 26, middle + EM / 3, fit_text(entry.label, size.width - x - 30), kind="label"))
        x += width
    return join(parts), row if entries else 0


def _swatch(entry: LegendEntry, x: float, y: float) -> Markup:
    place = (round(x + 10), round(y))
    match entry.mark:
        case "dot":
            return dots([place], kind=entry.kind)
        case "tick":
            return marks([(place[0], place[1] - 5)], "v10", kind=entry.kind)
        case "figure":
            return marks([place], entry.figure, kind=entry.kind)
        case "below":
            return marks([(place[0], place[1] + 2)], "l-3-5h6z", kind=entry.kind)
        case "line":
            return line(x, y, x + 20, y, kind=f"line {entry.kind}")
        case "bar":
            return Markup('<rect class="bar {}" x="{}" y="{}" width="14" height="10"/>').format(
                entry.kind, round(x + 4), round(y - 5)
            )
