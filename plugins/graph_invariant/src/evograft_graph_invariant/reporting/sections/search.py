"""How the search went: the map of elites, the islands over time, and what was done where they ran dry."""

from __future__ import annotations

from evograft_graph_invariant.records.summary.model import Summary
from evograft_graph_invariant.records.summary.parts import IslandRecord
from evograft_graph_invariant.reporting.blocks import Block, Column, Picture, Section, Table, Words
from evograft_graph_invariant.reporting.charts.elites import elites_chart
from evograft_graph_invariant.reporting.charts.islands import island_charts, name_of
from evograft_graph_invariant.reporting.elites import EliteMap, edges, map_of
from evograft_graph_invariant.reporting.wording import Wording

MOST_ROWS = 200
FALLBACKS = ("constrained_on", "constrained_off", "fallback_model", "refused")


def elites_section(phase: str, found: Summary, w: Wording) -> Section:
    """Two maps: the novelty of one is plain, that of the other is given the target."""
    maps = {
        "plain": map_of(found.map_points, lambda point: point.novelty),
        "given_target": map_of(found.map_points, lambda point: point.novelty_given_target),
    }
    blocks: list[Block] = [Words(w.t("elites.note"), is_note=True)]
    for name, each in maps.items():
        title = w.t(f"elites.{name}")
        chart = elites_chart(f"{phase}-elites-{name}", title, each, w)
        if each is None or chart is None:
            blocks.append(Words(w.t("elites.missing", title=title)))
        else:
            blocks.append(Picture((chart,), _cells(each, w)))
    return Section(f"{phase}-elites", w.t("section.elites"), tuple(blocks))


def _cells(found: EliteMap, w: Wording) -> Table:
    names = ("simplicity", "novelty", "best", "trial", "count")
    across, up = edges(found.simplicity), edges(found.novelty)
    rows = tuple(
        (
            w.t("word.interval", low=w.number(across[cell.column]), high=w.number(across[cell.column + 1])),
            w.t("word.interval", low=w.number(up[cell.row]), high=w.number(up[cell.row + 1])),
            w.number(cell.score),
            w.count(cell.best.trial),
            w.count(cell.count),
        )
        for cell in found.cells
    )
    return Table("", tuple(Column(w.t(f"elites.{name}")) for name in names), rows)


def islands_section(phase: str, found: Summary, w: Wording) -> Section:
    charts = island_charts(phase, found.islands, found.fallbacks or (), w)
    pictures: tuple[Block, ...] = (Picture(charts),) if charts else ()
    columns = (
        Column(w.t("islands.island")),
        Column(w.t("islands.strategy"), "names"),
        Column(w.t("islands.temperature")),
        Column(w.t("islands.elites")),
        Column(w.t("islands.top")),
        Column(w.t("islands.nodes")),
        Column(w.t("islands.formula"), "words"),
    )
    rows = tuple(_island(island, w) for island in found.islands[:MOST_ROWS])
    table = Table("", columns, rows) if rows else Words(w.missing)
    return Section(f"{phase}-islands", w.t("section.islands"), (*pictures, table))


def _island(island: IslandRecord, w: Wording) -> tuple[str, ...]:
    best = island.elites[0] if island.elites else None
    return (
        name_of(island, w),
        w.text(island.strategy, 60),
        w.number(island.temperature),
        w.count(len(island.elites)),
        w.number(best.score if best else None, ".6g"),
        w.count(best.ast_nodes if best else None),
        w.text(best.formula if best else "", 200),
    )


def fallbacks_section(phase: str, found: Summary, w: Wording) -> Section:
    title, id_ = w.t("section.fallbacks"), f"{phase}-fallbacks"
    if found.fallbacks is None:
        return Section(id_, title, (Words(w.missing),))
    if not found.fallbacks:
        return Section(id_, title, (Words(w.t("fallbacks.none")),))
    columns = (
        Column(w.t("fallbacks.generation")),
        Column(w.t("fallbacks.island")),
        Column(w.t("fallbacks.what"), "names"),
        Column(w.t("fallbacks.reason"), "words"),
        Column(w.t("fallbacks.dollars")),
    )
    rows = tuple(
        (
            w.count(each.generation),
            w.count(each.island),
            w.t(f"fallbacks.{each.kind}") if each.kind in FALLBACKS else w.text(each.kind, 60),
            w.text(each.reason) if each.reason else "–",
            w.dollars(each.dollars) if each.dollars is not None else "–",
        )
        for each in found.fallbacks[:MOST_ROWS]
    )
    left_out = len(found.fallbacks) - len(rows)
    more = (Words(w.t("word.more_rows", n=left_out), is_note=True),) if left_out else ()
    return Section(id_, title, (Words(w.t("fallbacks.note"), is_note=True), Table("", columns, rows), *more))
