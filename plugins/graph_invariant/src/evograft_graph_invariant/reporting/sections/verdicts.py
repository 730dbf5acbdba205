"""The figures that everybody looks for first, and the verdicts."""

from __future__ import annotations

from evograft_graph_invariant.records.summary.model import (
    BestFormula,
    DecisionRecord,
    ExperimentSummary,
    SetScore,
    Verdicts,
)
from evograft_graph_invariant.reporting.blocks import Paragraph, ReportColumn, ReportSection, Table, Tile
from evograft_graph_invariant.reporting.charts.intervals import ends_of
from evograft_graph_invariant.reporting.wording import ReportWording


def tiles_of(found: ExperimentSummary, w: ReportWording) -> tuple[Tile, ...]:
    best = found.best or BestFormula()
    test, simplicity = best.test, best.simplicity
    # A summary may hold the success alone.
    verdicts = found.verdicts or Verdicts(success=_bare(found.success))
    rho = abs(test.rho) if test is not None and test.rho is not None else None
    nodes = simplicity.ast_nodes if simplicity else None
    return (
        Tile(w.t("tile.test"), w.number(rho, ".4f"), _ends(test, w)),
        Tile(w.t("tile.nodes"), w.count(nodes), w.t("tile.total", total=w.number(best.total))),
        Tile(w.t("tile.success"), _decision(verdicts.success, w), w.t("tile.success_more")),
        Tile(w.t("tile.strict"), _decision(verdicts.strict, w), w.t("tile.strict_more")),
        Tile(w.t("tile.generations"), w.count(found.generations_run), w.text(found.stop_reason, 80)),
        Tile(
            w.t("tile.cost"),
            w.dollars(found.cost.dollars if found.cost else None),
            w.t("tile.calls", calls=_calls(found, w)),
        ),
    )


def _ends(test: SetScore | None, w: ReportWording) -> str:
    ends = ends_of(test) if test else None
    return (
        w.t("tile.no_interval") if ends is None else w.t("tile.interval", low=f"{ends[0]:.4f}", high=f"{ends[1]:.4f}")
    )


def build_verdicts_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    verdicts = found.verdicts or Verdicts()
    rows = (("success", verdicts.success), ("phase_two", verdicts.phase_two), ("strict", verdicts.strict))
    columns = (
        ReportColumn(w.t("verdict.which")),
        ReportColumn(w.t("verdict.holds"), "names"),
        ReportColumn(w.t("verdict.why"), "words"),
    )
    table = Table("", columns, tuple((w.t(f"verdict.{name}"), *_cells(finding, w)) for name, finding in rows))
    return ReportSection(
        f"{phase}-verdicts", w.t("section.verdicts"), (Paragraph(w.t("verdict.note"), is_note=True), table)
    )


def _cells(finding: DecisionRecord | None, w: ReportWording) -> tuple[str, str]:
    return _decision(finding, w), w.text(finding.why if finding else "")


def _decision(finding: DecisionRecord | None, w: ReportWording) -> str:
    if finding is not None and finding.holds is None:
        return w.t("verdict.undecided")
    return w.truth(finding.holds if finding else None)


def _bare(holds: bool | None) -> DecisionRecord | None:  # noqa: FBT001 - what a summary says of its success
    return None if holds is None else DecisionRecord(holds=holds)


def _calls(found: ExperimentSummary, w: ReportWording) -> str:
    return w.count(found.cost.calls if found.cost else None)
