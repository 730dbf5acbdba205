"""The blocks of a report, before it is Markdown or HTML. All texts are plain: the writers of both escape them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evograft_graph_invariant.reporting.typesetting import Typeset
from evograft_report.toolkit.chart import Chart


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: str
    is_note: bool = False
    """Whether it is said in passing."""


@dataclass(frozen=True)
class Pairs:
    """Names with values."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ReportColumn:
    """A column of a table."""

    name: str
    holds: Literal["numbers", "names", "words"] = "numbers"
    """Numbers end on the right; names and words start on the left, and words may break."""


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first of each names the row."""

    title: str
    columns: tuple[ReportColumn, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class PictureBlock:
    """Charts of one kind, and the numbers that they show."""

    charts: tuple[Chart, ...]
    numbers: Table | None = None


@dataclass(frozen=True)
class FormulaBlock:
    """A formula, typeset where that can be done."""

    title: str
    text: str
    typeset: Typeset | None


@dataclass(frozen=True)
class CodeBlock:
    """A program."""

    title: str
    text: str
    left_out: int = 0
    """Lines that are not shown."""


Block = Paragraph | Pairs | Table | PictureBlock | FormulaBlock | CodeBlock


@dataclass(frozen=True)
class ReportSection:
    """A part of the report."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Tile:
    """A figure that everybody looks for first."""

    name: str
    value: str
    more: str = ""


@dataclass(frozen=True)
class Chapter:
    """A phase."""

    id: str
    title: str
    subtitle: str
    tiles: tuple[Tile, ...]
    sections: tuple[ReportSection, ...]


@dataclass(frozen=True)
class ExperimentReport:
    """All of it."""

    title: str
    notes: tuple[str, ...]
    """Problems with the files."""
    chapters: tuple[Chapter, ...]
