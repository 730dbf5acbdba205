"""Writing SVG: every text and number goes through one place that escapes it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

Anchor = Literal["start", "middle", "end"]
EM = 12.0
"""The size of all letters."""
LINE = 18.0
"""The height of a line of a legend."""


@dataclass(frozen=True)
class Size:
    """A drawing's measures in its own units; the page scales it to its column."""

    name: Literal["wide", "narrow", "small"]
    width: float
    height: float

    def of(self, height: float) -> Size:
        """Return a size that is as wide, but of another height."""
        return Size(self.name, self.width, height)


WIDE = Size("wide", 960, 340)
NARROW = Size("narrow", 380, 300)
SMALL = Size("small", 400, 220)


def text(x: float, y: float, words: str, *, anchor: Anchor = "start", kind: str = "") -> Markup:
    shape = Markup('<text x="{}" y="{}" text-anchor="{}"{}>{}</text>')
    return shape.format(_round(x), _round(y), anchor, _class(kind), words)


def line(x1: float, y1: float, x2: float, y2: float, *, kind: str) -> Markup:
    shape = Markup('<path class="{}" d="M{} {}L{} {}"/>')
    return shape.format(kind, _round(x1), _round(y1), _round(x2), _round(y2))


def path(points: Iterable[tuple[float, float]], *, kind: str) -> Markup:
    """Draw a line through points; empty if there are fewer than two."""
    places = [f"{_round(x)} {_round(y)}" for x, y in points]
    return Markup('<path class="{}" d="M{}"/>').format(kind, "L".join(places)) if len(places) > 1 else Markup()


def dots(places: Iterable[tuple[int, int]], *, kind: str) -> Markup:
    """Draw many dots as one path: lines without length and with round ends."""
    data = "".join(f"M{x} {y}h.01" for x, y in places)
    return Markup('<path class="dot {}" d="{}"/>').format(kind, data) if data else Markup()


def marks(places: Iterable[tuple[int, int]], shape: str, *, kind: str) -> Markup:
    """Draw many small figures as one path, each from its place on."""
    data = "".join(f"M{x} {y}{shape}" for x, y in places)
    return Markup('<path class="mark {}" d="{}"/>').format(kind, data) if data else Markup()


def circle(x: float, y: float, radius: float, *, kind: str, title: str) -> Markup:
    shape = Markup('<circle class="{}" cx="{}" cy="{}" r="{}"><title>{}</title></circle>')
    return shape.format(kind, _round(x), _round(y), radius, title)


def bar(x: float, y: float, width: float, height: float, *, kind: str, title: str = "") -> Markup:
    inner = Markup("<title>{}</title>").format(title) if title else Markup()
    shape = Markup('<rect class="bar {}" x="{}" y="{}" width="{}" height="{}">{}</rect>')
    return shape.format(kind, _round(x), _round(y), _round(max(0.0, width)), _round(max(0.0, height)), inner)


def join(parts: Iterable[Markup]) -> Markup:
    return Markup().join(parts)


def estimate_width(words: str) -> float:
    """Return about how wide a text is."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in words)
    return EM * (wide + 0.56 * (len(words) - wide))


def fit_text(words: str, width: float) -> str:
    """Return the text, cut to about a width."""
    if estimate_width(words) <= width:
        return words
    while words and estimate_width(words) + EM > width:
        words = words[:-1]
    return f"{words}…"


def _class(kind: str) -> Markup:
    return Markup(' class="{}"').format(kind) if kind else Markup()


def _round(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
