"""The report as Markdown: formulas as LaTeX, and for every picture its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evograft.text.i18n import Catalog
from evograft_graph_invariant.reporting.blocks import (
    Block,
    Chapter,
    CodeBlock,
    ExperimentReport,
    FormulaBlock,
    Pairs,
    Paragraph,
    PictureBlock,
    ReportSection,
    Table,
)

_ANYWHERE = re.compile(r"[\\`*\[\]|~$^]|(?<!\w)_|_(?!\w)")
_AT_START = re.compile(r"^(\d*)([-+=#.)](?=[\s#=-]|$)|>)")
"""Text that would begin a list, a heading or a quotation."""


def to_markdown(report: ExperimentReport, t: Catalog) -> str:
    lines = [f"# {escape(report.title)}", "", escape(t("page.what"))]
    if report.notes:
        lines += ["", *(f"> {escape(note)}  " for note in report.notes)]
    for chapter in report.chapters:
        lines += ["", *_chapter(chapter, t)]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return a text in one line in which neither Markdown nor the HTML within it has a meaning."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _AT_START.sub(r"\1\\\2", _ANYWHERE.sub(r"\\\g<0>", text))


def _chapter(chapter: Chapter, t: Catalog) -> Iterator[str]:
    yield f"## {escape(chapter.title)}"
    if chapter.subtitle:
        yield from ("", escape(chapter.subtitle))
    if chapter.tiles:
        yield ""
        yield from (f"- **{escape(tile.name)}**: {escape(tile.value)} ({escape(tile.more)})" for tile in chapter.tiles)
    for section in chapter.sections:
        yield from _section(section, t)


def _section(section: ReportSection, t: Catalog) -> Iterator[str]:
    yield from ("", f"### {escape(section.title)}")
    for block in section.blocks:
        yield ""
        yield from _block(block, t)


def _block(block: Block, t: Catalog) -> Iterator[str]:
    match block:
        case Paragraph():
            yield escape(block.text)
        case Pairs():
            yield from (f"- {escape(name)}: {escape(value)}" for name, value in block.rows)
        case Table():
            yield from _table(block)
        case PictureBlock():
            yield from _picture(block)
        case FormulaBlock():
            yield from _formula(block)
        case CodeBlock():
            yield from (f"{escape(block.title)}:", "", *_fenced(block.text))
            if block.left_out:
                yield from ("", escape(t("word.more_lines", n=block.left_out)))


def _table(block: Table) -> Iterator[str]:
    if block.title:
        yield from (f"**{escape(block.title)}**", "")
    yield _row(column.name for column in block.columns)
    yield _bars(
        "---" if column.holds != "numbers" or not place else "---:" for place, column in enumerate(block.columns)
    )
    yield from (_row(row) for row in block.rows)


def _row(cells: Iterator[str] | tuple[str, ...]) -> str:
    return _bars(escape(cell) for cell in cells)


def _bars(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _picture(block: PictureBlock) -> Iterator[str]:
    for chart in block.charts:
        yield f"*{escape(chart.title)}* — {escape(chart.description)}  "
    if block.numbers:
        yield from ("", *_table(block.numbers))


def _formula(block: FormulaBlock) -> Iterator[str]:
    yield f"**{escape(block.title)}**"
    if block.typeset:
        yield from ("", "$$", block.typeset.latex, "$$")
    yield from ("", *_fenced(block.text))


def _fenced(text: str) -> Iterator[str]:
    """Enclose the text in a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}python", *text.split("\n"), fence)
