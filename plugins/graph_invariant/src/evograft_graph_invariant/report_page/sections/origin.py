"""Where it all comes from: data sets and seeds, what models cost, the run, and the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evograft.pages import numbers
from evograft_graph_invariant.records.parts import CostRecord, DataSetRecord, RunRecord
from evograft_graph_invariant.records.summary import Summary
from evograft_graph_invariant.report_page.blocks import Block, Column, Pairs, Section, Table, Words
from evograft_graph_invariant.report_page.wording import Wording

MOST_SETTINGS = 400
DEEPEST = 8


def data_section(phase: str, found: Summary, w: Wording) -> Section:
    columns = (
        Column(w.t("data.set")),
        Column(w.t("data.use"), "words"),
        Column(w.t("data.graphs")),
        Column(w.t("data.nodes")),
        Column(w.t("data.kinds"), "words"),
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
    table: Block = Table("", columns, rows) if rows else Words(w.missing)
    return Section(f"{phase}-data", w.t("section.data"), (seeds, table))


def _seed(seed: int | None, w: Wording) -> str:
    """To copy: without commas."""
    return w.missing if seed is None else str(seed)


def _set(each: DataSetRecord, w: Wording) -> tuple[str, ...]:
    kinds = ", ".join(f"{w.text(kind, 40)} {count}" for kind, count in list(each.kinds.items())[:30])
    nodes = w.t("data.fixed") if each.nodes is None else w.t("word.interval", low=each.nodes[0], high=each.nodes[1])
    return (w.set_name(each.name), w.text(each.use), w.count(each.graphs), nodes, kinds or w.missing)


def cost_section(phase: str, found: Summary, w: Wording) -> Section:
    cost = found.cost or CostRecord()
    models = ", ".join(w.text(model, 100) for model in cost.models[:30])
    rows = (
        ("cost.models", models or w.missing),
        ("cost.calls", w.count(cost.calls)),
        ("cost.prompt_tokens", w.count(cost.prompt_tokens)),
        ("cost.completion_tokens", w.count(cost.completion_tokens)),
        ("cost.dollars", w.dollars(cost.dollars)),
    )
    none = (Words(w.t("cost.none")),) if cost.calls == 0 else ()
    return Section(
        f"{phase}-cost", w.t("section.cost"), (*none, Pairs(tuple((w.t(key), value) for key, value in rows)))
    )


def run_section(phase: str, found: Summary, w: Wording) -> Section:
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
        (Words(w.t("run.page", run=w.text(run.name or run.folder, 500)), is_note=True),)
        if run.name or run.folder
        else ()
    )
    settings = tuple(_settings(found.config, w))
    config: Block = Table(w.t("run.settings"), (Column(w.t("run.key")), Column(w.t("run.value"), "words")), settings)
    blocks: tuple[Block, ...] = (Pairs(tuple((w.t(key), value) for key, value in rows)), *page)
    return Section(f"{phase}-run", w.t("section.run"), (*blocks, config if settings else Words(w.t("run.no_settings"))))


def _settings(config: Mapping[str, object], w: Wording) -> Iterator[tuple[str, str]]:
    for number, (key, value) in enumerate(_leaves(config, "", DEEPEST)):
        if number == MOST_SETTINGS:
            yield "…", "…"
            return
        yield w.text(key, 200), w.text(str(value)) if value not in (None, "") else "–"


def _leaves(value: object, key: str, depth: int) -> Iterator[tuple[str, object]]:
    """Values with the way to them, such as `weights.alpha`."""
    if depth and isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{key}.{name}" if key else str(name), depth - 1)
    elif (
        depth
        and isinstance(value, Sequence)
        and not isinstance(value, str)
        and any(isinstance(each, Mapping) for each in value)
    ):
        for place, inner in enumerate(value):
            yield from _leaves(inner, f"{key}.{place}", depth - 1)
    else:
        yield key, value
