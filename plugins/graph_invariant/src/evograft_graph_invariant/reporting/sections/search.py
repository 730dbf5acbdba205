"""The sections on the search: the map of elites, the islands over time, and the measures against stagnation."""

from __future__ import annotations

from evograft_graph_invariant.records.summary.model import ExperimentSummary, IslandRecord
from evograft_graph_invariant.reporting.blocks import Block, Paragraph, PictureBlock, ReportColumn, ReportSection, Table
from evograft_graph_invariant.reporting.charts.elites import draw_elites
from evograft_graph_invariant.reporting.charts.islands import draw_islands, name_of
from evograft_graph_invariant.reporting.elites import EliteMap, build_elite_map, get_edges
from evograft_graph_invariant.reporting.wording import ReportWording

MOST_ROWS = 200
FALLBACKS = ("constrained_on", "constrained_off", "fallback_model", "refused")


def build_elites_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    """Two maps: the novelty of one is plain, that of the other is given the target."""
    maps = {
        "plain": build_elite_map(found.map_points, lambda point: point.novelty),
        "given_target": build_elite_map(found.map_points, lambda point: point.novelty_given_target),
    }
    blocks: list[Block] = [Paragraph(w.t("elites.note"), is_note=True)]
    for name, each in maps.items():
        title = w.t(f"elites.{name}")
        chart = draw_elites(f"{phase}-elites-{name}", title, each, w)
        if each is None or chart is None:
            blocks.append(Paragraph(w.t("elites.missing", title=title)))
        else:
            blocks.append(PictureBlock((chart,), _cells(each, w)))
    return ReportSection(f"{phase}-elites", w.t("section.elites"), tuple(blocks))


def _cells(found: EliteMap, w: ReportWording) -> Table:
    names = ("simplicity", "novelty", "best", "trial", "count")
    across, up = get_edges(found.simplicity), get_edges(found.novelty)
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
    return Table("", tuple(ReportColumn(w.t(f"elites.{name}")) for name in names), rows)


def build_islands_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    charts = draw_islands(phase, found.islands, found.fallbacks or (), w)
    pictures: tuple[Block, ...] = (PictureBlock(charts),) if charts else ()
    columns = (
        ReportColumn(w.t("islands.island")),
        ReportColumn(w.t("islands.strategy"), "names"),
        ReportColumn(w.t("islands.temperature")),
        ReportColumn(w.t("islands.elites")),
        ReportColumn(w.t("islands.top")),
        ReportColumn(w.t("islands.nodes")),
        ReportColumn(w.t("islands.formula"), "words"),
    )
    rows = tuple(_island(island, w) for island in found.islands[:MOST_ROWS])
    table = Table("", columns, rows) if rows else Paragraph(w.missing)
    return ReportSection(f"{phase}-islands", w.t("section.islands"), (*pictures, table))


def _island(island: IslandRecord, w: ReportWording) -> tuple[str, ...]:
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


def build_fallbacks_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    title, id_ = w.t("section.fallbacks"), f"{phase}-fallbacks"
    if found.fallbacks is None:
        return ReportSection(id_, title, (Paragraph(w.missing),))
    if not found.fallbacks:
        return ReportSection(id_, title, (Paragraph(w.t("fallbacks.none")),))
    columns = (
        ReportColumn(w.t("fallbacks.generation")),
        ReportColumn(w.t("fallbacks.island")),
        ReportColumn(w.t("fallbacks.what"), "names"),
        ReportColumn(w.t("fallbacks.reason"), "words"),
        ReportColumn(w.t("fallbacks.dollars")),
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
    more = (Paragraph(w.t("word.more_rows", n=left_out), is_note=True),) if left_out else ()
    return ReportSection(id_, title, (Paragraph(w.t("fallbacks.note"), is_note=True), Table("", columns, rows), *more))
