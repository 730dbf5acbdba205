"""The sections on the origin: data sets and seeds, the cost of models, the run, and the settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evograft_graph_invariant.records.summary.model import (
    AttributionRecord,
    CostRecord,
    DataSetRecord,
    ExperimentSummary,
    RunRecord,
)
from evograft_graph_invariant.reporting.blocks import Block, Pairs, Paragraph, ReportColumn, ReportSection, Table
from evograft_graph_invariant.reporting.wording import ReportWording
from evograft_hookspecs.values import thaw
from evograft_report.toolkit import numbers

MOST_SETTINGS = 400
MOST_ROWS = 100
DEEPEST = 8


def build_data_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    columns = (
        ReportColumn(w.t("data.set")),
        ReportColumn(w.t("data.use"), "words"),
        ReportColumn(w.t("data.graphs")),
        ReportColumn(w.t("data.nodes")),
        ReportColumn(w.t("data.kinds"), "words"),
    )
    rows = tuple(_set(each, w) for each in found.data)
    seeds = Pairs(
        (
            (w.t("data.master_seed"), _seed(found.master_seed, w)),
            (w.t("data.run_seed"), _seed(found.run.seed if found.run else None, w)),
            (w.t("data.target"), w.text(found.target, 100)),
            (w.t("data.level"), w.text(found.level, 100)),
            (w.t("data.objective"), w.text(found.objective, 100)),
        )
    )
    table: Block = Table("", columns, rows) if rows else Paragraph(w.missing)
    return ReportSection(f"{phase}-data", w.t("section.data"), (seeds, table))


def _seed(seed: int | None, w: ReportWording) -> str:
    """To copy: without commas."""
    return w.missing if seed is None else str(seed)


def _set(each: DataSetRecord, w: ReportWording) -> tuple[str, ...]:
    # Of fixed graphs there is one each.
    kinds = ", ".join(w.text(kind, 40) + (f" {n}" if n > 1 else "") for kind, n in list(each.kinds.items())[:30])
    nodes = w.t("data.fixed") if each.nodes is None else w.t("word.interval", low=each.nodes[0], high=each.nodes[1])
    return (w.set_name(each.name), w.text(each.use), w.count(each.graphs), nodes, kinds or w.missing)


def build_cost_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    cost, id_, title = found.cost or CostRecord(), f"{phase}-cost", w.t("section.cost")
    if cost.calls == 0:
        return ReportSection(id_, title, (Paragraph(w.t("cost.none")),))
    models = ", ".join(w.text(model, 100) for model in cost.models[:30])
    rows = (
        ("cost.models", models or w.missing),
        ("cost.calls", w.count(cost.calls)),
        ("cost.prompt_tokens", w.count(cost.prompt_tokens)),
        ("cost.completion_tokens", w.count(cost.completion_tokens)),
        ("cost.dollars", w.dollars(cost.dollars)),
    )
    return ReportSection(id_, title, (Pairs(tuple((w.t(key), value) for key, value in rows)),))


def build_attribution_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    """Who made what: by operator, and by the model that was called."""
    tables: list[Block] = []
    if found.by_operator:
        tables.append(_attribution("attribution.operator", [(each.operator, each) for each in found.by_operator], w))
    if found.by_model:
        tables.append(_attribution("attribution.model", [(each.model, each) for each in found.by_model], w))
    return ReportSection(f"{phase}-attribution", w.t("section.attribution"), tuple(tables) or (Paragraph(w.missing),))


def _attribution(head: str, rows: list[tuple[str, AttributionRecord]], w: ReportWording) -> Table:
    names = ("trials", "accepted", "new_bests", "best", "calls", "tokens", "dollars")
    columns = (ReportColumn(w.t(head), "names"), *(ReportColumn(w.t(f"attribution.{name}")) for name in names))
    cells = tuple(
        (
            w.text(name, 100) if name else w.t("attribution.none"),
            w.count(each.trials),
            w.count(each.accepted),
            w.count(each.new_bests),
            w.number(each.best, ".6g"),
            w.count(each.calls),
            w.count(each.tokens),
            w.dollars(each.dollars) if each.calls else "–",
        )
        for name, each in rows[:MOST_ROWS]
    )
    return Table(w.t(f"{head}_title"), columns, cells)


def build_run_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    run = found.run or RunRecord()
    rows = (
        ("run.name", w.text(run.name, 200)),
        ("run.id", w.text(run.id, 200)),
        ("run.folder", w.text(run.folder, 500)),
        ("run.trials", w.count(run.trials)),
        ("run.seconds", w.missing if run.seconds is None else numbers.duration(run.seconds)),
        ("run.version", w.text(run.version, 60)),
        ("run.schema", w.missing if found.schema_version is None else str(found.schema_version)),
        ("run.experiment", w.text(found.experiment_id, 200)),
    )
    page = (
        (Paragraph(w.t("run.page", run=w.text(run.folder or run.name, 500)), is_note=True),)
        if run.name or run.folder
        else ()
    )
    settings = tuple(_settings(thaw(found.config), w))
    config: Block = Table(
        w.t("run.settings"), (ReportColumn(w.t("run.key")), ReportColumn(w.t("run.value"), "words")), settings
    )
    blocks: tuple[Block, ...] = (Pairs(tuple((w.t(key), value) for key, value in rows)), *page)
    return ReportSection(
        f"{phase}-run", w.t("section.run"), (*blocks, config if settings else Paragraph(w.t("run.no_settings")))
    )


def _settings(config: Any, w: ReportWording) -> Iterator[tuple[str, str]]:
    for number, (key, value) in enumerate(_leaves(config, "", DEEPEST)):
        if number == MOST_SETTINGS:
            yield "…", "…"
            return
        plain = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield w.text(key, 200), "–" if value in (None, "", [], {}) else w.text(plain)


def _leaves(value: Any, key: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Values with the way to them, such as `weights.alpha`; a list of plain values is one."""
    is_nested = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value))
    if not (depth and value and is_nested):
        yield key, value
        return
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in inner:
        yield from _leaves(item, f"{key}.{name}" if key else str(name), depth - 1)
