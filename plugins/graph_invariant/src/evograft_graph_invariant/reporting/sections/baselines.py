"""The table of methods for comparison."""

from __future__ import annotations

from evograft_graph_invariant.records.summary.model import BaselineRecord, BestFormula, ExperimentSummary
from evograft_graph_invariant.reporting.blocks import Paragraph, ReportColumn, ReportSection, Table
from evograft_graph_invariant.reporting.sections.sets import SETS, scores_of
from evograft_graph_invariant.reporting.wording import ReportWording

COMPARED = tuple(name for name in SETS if name != "sanity")
MOST_ROWS = 50


def build_baselines_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    id_, title = f"{phase}-baselines", w.t("section.baselines")
    if not found.baselines:
        return ReportSection(id_, title, (Paragraph(w.missing),))
    sets = tuple(ReportColumn(w.set_name(name)) for name in COMPARED)
    columns = (
        ReportColumn(w.t("baselines.method")),
        *sets,
        ReportColumn(w.t("baselines.nodes")),
        ReportColumn(w.t("baselines.formula"), "words"),
    )
    rows = (_own(found.best or BestFormula(), w), *(_row(each, w) for each in found.baselines[:MOST_ROWS]))
    return ReportSection(id_, title, (Paragraph(w.t("baselines.note"), is_note=True), Table("", columns, rows)))


def _own(best: BestFormula, w: ReportWording) -> tuple[str, ...]:
    scores = scores_of(best)
    cells = (_rho(score.rho, score.answered, w) if (score := scores.get(name)) else w.missing for name in COMPARED)
    nodes = best.simplicity.ast_nodes if best.simplicity else None
    return (w.t("baselines.own"), *cells, w.count(nodes), w.text(best.simplified or best.formula))


def _row(each: BaselineRecord, w: ReportWording) -> tuple[str, ...]:
    name = w.text(each.name, 60) + (w.t("baselines.symbolic") if each.is_symbolic_baseline else "")
    if not each.ran:
        return (name, *("–" for _ in COMPARED), "–", w.t("baselines.not_run", reason=w.text(each.reason)))
    cells = (_rho(each.rho.get(place), each.answered.get(place), w) for place in COMPARED)
    nodes = "–" if each.ast_nodes is None else w.count(each.ast_nodes)
    return (name, *cells, nodes, w.text(each.formula) if each.formula else "–")


def _rho(rho: float | None, answered: float | None, w: ReportWording) -> str:
    """|ρ|, with the share that is answered where it is not all."""
    if rho is None:
        return w.missing
    share = "" if answered is None or answered >= 1 else f" ({w.share(answered)})"
    return w.number(abs(rho), ".4f") + share
