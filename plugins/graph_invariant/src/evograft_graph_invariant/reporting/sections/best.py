"""The best formulas: to read, to copy, and what they are worth."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evograft.text.excerpts import clip
from evograft_graph_invariant.graphs.vocabulary import COLUMNS
from evograft_graph_invariant.records.summary.model import (
    BestFormula,
    EliteRecord,
    ExperimentSummary,
    NoveltyRecord,
    SimplicityRecord,
)
from evograft_graph_invariant.reporting.blocks import (
    Block,
    CodeBlock,
    FormulaBlock,
    Pairs,
    Paragraph,
    ReportColumn,
    ReportSection,
    Table,
)
from evograft_graph_invariant.reporting.charts.islands import name_of
from evograft_graph_invariant.reporting.typesetting import Typeset
from evograft_graph_invariant.reporting.wording import ReportWording

MOST_LINES = 200
MOST_ISLANDS = 8
"""Islands whose best formula is typeset."""


def formulas_of(found: ExperimentSummary) -> tuple[str, ...]:
    """Return the formulas to be typeset, the most wanted first."""
    best = found.best or BestFormula()
    own = [text for text in (best.simplified, best.formula) if text]
    return (*own, *(elite.formula for _, elite in _firsts(found) if elite.formula))


def build_best_section(
    phase: str, found: ExperimentSummary, typeset: Mapping[str, Typeset], w: ReportWording
) -> ReportSection:
    blocks: list[Block] = []
    best = found.best
    if best is None:
        blocks.append(Paragraph(w.t("best.none")))
    else:
        blocks += [*_formulas(best, typeset, w), _novelties(best, w), Pairs(_facts(found, best, w)), *_code(best, w)]
        blocks += _predictor(best, w)
    blocks += _of_islands(found, typeset, w)
    return ReportSection(f"{phase}-best", w.t("section.best"), tuple(blocks))


def _formulas(best: BestFormula, typeset: Mapping[str, Typeset], w: ReportWording) -> list[Block]:
    texts = {"best.simplified": best.simplified, "best.found": best.formula}
    blocks: list[Block] = []
    drawn: set[str] = set()
    for key, text in texts.items():
        found = typeset.get(text)
        # What SymPy's printers make of both is often the same.
        is_new = found is not None and found.latex not in drawn
        drawn |= {found.latex} if found else set()
        blocks += [FormulaBlock(w.t(key), w.text(text, 2000), found if is_new else None)] if text else []
    return blocks or [Paragraph(w.t("best.no_formula"))]


def _facts(found: ExperimentSummary, best: BestFormula, w: ReportWording) -> tuple[tuple[str, str], ...]:
    simplicity = best.simplicity or SimplicityRecord()
    # A summary that tells who made what names a model only where one was called.
    is_unasked = not best.model and bool(found.by_operator or (found.cost is not None and found.cost.calls == 0))
    rows = [
        ("best.nodes", w.count(simplicity.ast_nodes)),
        ("best.length", w.count(simplicity.sympy_length)),
        ("best.simplicity", w.number(simplicity.value)),
        ("best.novelty", w.number(best.novelty)),
        ("best.total", w.number(best.total)),
        ("best.score", w.number(best.score, ".6g")),
        ("best.trial", w.count(best.trial)),
        ("best.generation", w.count(best.generation)),
        ("best.island", w.count(best.island)),
        ("best.operator", w.text(best.operator, 100)),
        ("best.model", "–" if is_unasked else w.text(best.model, 100)),
    ]
    rows += [("best.note", w.text(simplicity.note))] if simplicity.note else []
    return tuple((w.t(key), value) for key, value in rows)


def _novelties(best: BestFormula, w: ReportWording) -> Table:
    names = ("which", "bonus", "nearest", "rho", "interval", "new")
    columns = tuple(ReportColumn(w.t(f"novelty.{name}"), "names" if name == "nearest" else "numbers") for name in names)
    rows = (("plain", best.novelty_plain), ("given_target", best.novelty_given_target))
    return Table(
        w.t("novelty.title"),
        columns,
        tuple((w.t(f"novelty.{name}"), *_novelty_cells(each or NoveltyRecord(), w)) for name, each in rows),
    )


def _novelty_cells(found: NoveltyRecord, w: ReportWording) -> tuple[str, ...]:
    known = found.low is not None and found.high is not None
    return (
        w.number(found.bonus, ".4f"),
        w.text(found.nearest, 100),
        w.number(found.rho, ".4f"),
        w.t("word.interval", low=w.number(found.low), high=w.number(found.high)) if known else w.missing,
        w.truth(found.is_new),
    )


def _code(best: BestFormula, w: ReportWording) -> list[Block]:
    if not best.code:
        return []
    shown = clip(best.code, lines=MOST_LINES)
    return [CodeBlock(w.t("best.program"), shown.text, shown.left_out)]


def _predictor(best: BestFormula, w: ReportWording) -> list[Block]:
    if not best.predictor:
        return []
    shown = clip(best.predictor, lines=MOST_LINES)
    words = set(re.findall(r"\w+", best.formula))
    rows = tuple((column.name, column.meaning) for column in COLUMNS if column.name in words)
    columns = (ReportColumn(w.t("best.column")), ReportColumn(w.t("best.meaning"), "words"))
    meanings = [Table(w.t("best.columns"), columns, rows)] if rows else []
    return [CodeBlock(w.t("best.predictor"), shown.text, shown.left_out), *meanings]


def _firsts(found: ExperimentSummary) -> list[tuple[str, EliteRecord]]:
    """Yield the best elite of each island with the island's number; a formula that several share comes once."""
    firsts = [(str(island.number), island.elites[0]) for island in found.islands if island.elites]
    own = {found.best.formula} if found.best else set()
    return list({elite.formula: (number, elite) for number, elite in firsts if elite.formula not in own}.values())[
        :MOST_ISLANDS
    ]


def _of_islands(found: ExperimentSummary, typeset: Mapping[str, Typeset], w: ReportWording) -> list[Block]:
    names = {str(island.number): name_of(island, w) for island in found.islands}
    return [
        FormulaBlock(
            w.t("best.of_island", island=names[number], score=w.number(elite.score), nodes=w.count(elite.ast_nodes)),
            w.text(elite.formula, 2000),
            typeset.get(elite.formula),
        )
        for number, elite in _firsts(found)
        if elite.formula
    ]
