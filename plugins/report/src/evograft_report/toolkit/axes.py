"""The lines, ticks and labels around what a chart shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from evograft_report.toolkit.chart import Area
from evograft_report.toolkit.numbers import ticks
from evograft_report.toolkit.scale import AxisScale
from evograft_report.toolkit.svg import EM, estimate_width, fit_text, join, line, text

Format = Callable[[Sequence[float]], list[str]]
"""Words for the ticks of an axis."""


def x_axis(area: Area, scale: AxisScale, label: str, *, format_: Format = ticks, down: float = 0.0) -> Markup:
    """Draw the axis below; `down` leaves room between it and the area."""
    base = area.bottom + down
    most = 9 if area.size.name == "wide" else 4
    parts = [line(area.left, base, area.right, base, kind="axis")]
    values = scale.ticks(most)
    for value, words in zip(values, format_(values), strict=True):
        half = estimate_width(words) / 2
        x = min(max(scale.at(value), area.left), area.size.width - half - 1)
        parts.append(line(scale.at(value), base, scale.at(value), base + 4, kind="axis"))
        parts.append(text(x, base + 17, words, anchor="middle"))
    parts.append(
        text(area.right, area.size.height - 5, fit_text(label, area.right - area.left), anchor="end", kind="label")
    )
    return join(parts)


def percents(values: Sequence[float]) -> list[str]:
    """Return shares for people."""
    return [f"{100 * value:.3g}%" for value in values]


def y_axis(area: Area, scale: AxisScale, *, format_: Format = ticks, most: int = 6) -> Markup:
    """Draw the axis on the left, with lines across the area."""
    parts, values = [], scale.ticks(most)
    for value, words in zip(values, format_(values), strict=True):
        y = scale.at(value)
        parts.append(line(area.left, y, area.right, y, kind="grid"))
        parts.append(text(area.left - 7, y + EM / 3, fit_text(words, area.left - 8), anchor="end"))
    return join(parts)
