"""A part of a run's report that a plugin brings."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from evograft_report.toolkit.chart import Chart


@dataclass(frozen=True)
class Picture:
    """A drawing that the report shows as an image, in which nothing runs and nothing is fetched, whatever it holds.

    Args:
        title: what it shows, in words.
        svg: an SVG file.
    """

    title: str
    svg: bytes

    @property
    def address(self) -> str:
        """The drawing itself, as an address."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}"


@dataclass(frozen=True)
class SectionTable:
    """Rows of texts, fit to be shown.

    Args:
        title: its caption.
        heads: of the columns.
        rows: as many texts each as there are columns.
        words: the columns with words, aligned to the left, where long ones are broken; others are numbers.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Section:
    """Shown after the best program.

    Args:
        name: a word that no other section of the plugin has.
        title: its heading.
        note: what to know before one looks.
        charts: drawn in the report's colours.
        tables: after the charts; a phone scrolls them sideways.
        pictures: as they are.
    """

    name: str
    title: str
    note: str = ""
    charts: tuple[Chart, ...] = ()
    tables: tuple[SectionTable, ...] = ()
    pictures: tuple[Picture, ...] = ()
