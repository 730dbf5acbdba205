"""The section on calls of models."""

from __future__ import annotations

from evograft_graph_invariant.reporting.blocks import Block, Paragraph, ReportColumn, ReportSection, Table
from evograft_graph_invariant.reporting.events import EventTotals
from evograft_graph_invariant.reporting.wording import ReportWording

MOST_STATUSES = 8
MOST_ERRORS = 10


def build_calls_section(found: EventTotals | None, w: ReportWording) -> ReportSection:
    if found is None:
        return ReportSection("calls", w.t("section.calls"), (Paragraph(w.missing),))
    blocks: list[Block] = [Paragraph(w.t("calls.sum", n=w.count(found.lines), calls=w.count(found.calls)))]
    if found.broken:
        blocks.append(Paragraph(w.t("calls.broken", n=w.count(found.broken))))
    if found.is_cut:
        blocks.append(Paragraph(w.t("calls.cut")))
    if found.by_island:
        blocks.append(_by_island(found, w))
    if found.errors:
        blocks.append(_errors(found, w))
    return ReportSection("calls", w.t("section.calls"), tuple(blocks))


def _by_island(found: EventTotals, w: ReportWording) -> Table:
    statuses = found.statuses[:MOST_STATUSES]
    columns = (ReportColumn(w.t("calls.island")), *(ReportColumn(w.text(status, 40)) for status in statuses))
    rows = tuple(
        (
            w.t("calls.no_island") if island < 0 else w.t("islands.number", number=island),
            *(w.count(counts[status]) for status in statuses),
        )
        for island, counts in sorted(found.by_island.items())
    )
    return Table(w.t("calls.by_island"), columns, rows)


def _errors(found: EventTotals, w: ReportWording) -> Table:
    columns = (ReportColumn(w.t("calls.times")), ReportColumn(w.t("calls.error"), "words"))
    rows = tuple((w.count(count), w.text(error)) for error, count in found.errors.most_common(MOST_ERRORS))
    return Table(w.t("calls.errors"), columns, rows)
