"""What the records of model calls add up to."""

from __future__ import annotations

from evograft_graph_invariant.reporting.blocks import Block, Column, Section, Table, Words
from evograft_graph_invariant.reporting.events import EventTotals
from evograft_graph_invariant.reporting.wording import Wording

MOST_STATUSES = 8
MOST_ERRORS = 10


def calls_section(found: EventTotals | None, w: Wording) -> Section:
    if found is None:
        return Section("calls", w.t("section.calls"), (Words(w.missing),))
    blocks: list[Block] = [Words(w.t("calls.sum", n=w.count(found.lines), calls=w.count(found.calls)))]
    if found.broken:
        blocks.append(Words(w.t("calls.broken", n=w.count(found.broken))))
    if found.is_cut:
        blocks.append(Words(w.t("calls.cut")))
    if found.by_island:
        blocks.append(_by_island(found, w))
    if found.errors:
        blocks.append(_errors(found, w))
    return Section("calls", w.t("section.calls"), tuple(blocks))


def _by_island(found: EventTotals, w: Wording) -> Table:
    statuses = found.statuses[:MOST_STATUSES]
    columns = (Column(w.t("calls.island")), *(Column(w.text(status, 40)) for status in statuses))
    rows = tuple(
        (
            w.t("calls.no_island") if island < 0 else w.t("islands.number", number=island),
            *(w.count(counts[status]) for status in statuses),
        )
        for island, counts in sorted(found.by_island.items())
    )
    return Table(w.t("calls.by_island"), columns, rows)


def _errors(found: EventTotals, w: Wording) -> Table:
    columns = (Column(w.t("calls.times")), Column(w.t("calls.error"), "words"))
    rows = tuple((w.count(count), w.text(error)) for error, count in found.errors.most_common(MOST_ERRORS))
    return Table(w.t("calls.errors"), columns, rows)
