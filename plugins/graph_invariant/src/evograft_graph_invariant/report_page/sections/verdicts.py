"""The figures that everybody looks for first, and the verdicts."""

from __future__ import annotations

from evograft_graph_invariant.records.parts import BestFormula, FindingRecord, SetScore, Verdicts
from evograft_graph_invariant.records.summary import Summary
from evograft_graph_invariant.report_page.blocks import Column, Section, Table, Tile, Words
from evograft_graph_invariant.report_page.charts.intervals import ends_of
from evograft_graph_invariant.report_page.wording import Wording


def tiles_of(found: Summary, w: Wording) -> tuple[Tile, ...]:
    best = found.best or BestFormula()
    test, simplicity = best.test, best.simplicity
    verdicts = found.verdicts or Verdicts()
    rho = abs(test.rho) if test is not None and test.rho is not None else None
    nodes = simplicity.ast_nodes if simplicity else None
    return (
        Tile(w.t("tile.test"), w.number(rho, ".4f"), _ends(test, w)),
        Tile(w.t("tile.nodes"), w.count(nodes), w.t("tile.total", total=w.number(best.total))),
        Tile(w.t("tile.success"), w.truth(found.success), w.t("tile.success_more")),
        Tile(w.t("tile.strict"), w.truth(verdicts.strict.holds if verdicts.strict else None), w.t("tile.strict_more")),
        Tile(w.t("tile.generations"), w.count(found.generations_run), w.text(found.stop_reason, 80)),
        Tile(
            w.t("tile.cost"),
            w.dollars(found.cost.dollars if found.cost else None),
            w.t("tile.calls", calls=_calls(found, w)),
        ),
    )


def _ends(test: SetScore | None, w: Wording) -> str:
    ends = ends_of(test) if test else None
    return (
        w.t("tile.no_interval") if ends is None else w.t("tile.interval", low=f"{ends[0]:.4f}", high=f"{ends[1]:.4f}")
    )


def verdicts_section(phase: str, found: Summary, w: Wording) -> Section:
    verdicts = found.verdicts or Verdicts()
    rows = (("success", verdicts.success), ("phase_two", verdicts.phase_two), ("strict", verdicts.strict))
    columns = (Column(w.t("verdict.which")), Column(w.t("verdict.holds"), "names"), Column(w.t("verdict.why"), "words"))
    table = Table("", columns, tuple((w.t(f"verdict.{name}"), *_cells(finding, w)) for name, finding in rows))
    return Section(f"{phase}-verdicts", w.t("section.verdicts"), (Words(w.t("verdict.note"), is_note=True), table))


def _cells(finding: FindingRecord | None, w: Wording) -> tuple[str, str]:
    if finding is None:
        return w.missing, w.missing
    decided = w.t("verdict.undecided") if finding.holds is None else w.truth(finding.holds)
    return decided, w.text(finding.why)


def _calls(found: Summary, w: Wording) -> str:
    return w.count(found.cost.calls if found.cost else None)
