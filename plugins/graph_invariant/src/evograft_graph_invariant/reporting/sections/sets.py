"""The best formula on every data set: correlations with their intervals, predictions, and residuals by family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evograft_graph_invariant.records.summary.model import BestFormula, ExperimentSummary, GraphValues, SetScore
from evograft_graph_invariant.reporting.blocks import Block, Paragraph, PictureBlock, ReportColumn, ReportSection, Table
from evograft_graph_invariant.reporting.charts.intervals import draw_intervals, row_of
from evograft_graph_invariant.reporting.charts.residuals import draw_residuals
from evograft_graph_invariant.reporting.charts.scatter import draw_scatter
from evograft_graph_invariant.reporting.residuals import MOST_FAMILIES, Predictions, predictions_of, spreads_of
from evograft_graph_invariant.reporting.wording import ReportWording
from evograft_report.toolkit.chart import Chart

MAIN = "test"
"""The set whose graphs are shown large."""
SETS = ("train", "validation", "test", "sanity", "large_random", "extreme_params", "special_topology")
MOST_SETS = 12
MOST_NAMED = 100
"""Graphs of a set that are listed one by one."""
NO_VALUE = "–"


def build_sets_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    scores = scores_of(found.best or BestFormula())
    baselines: Mapping[str, float] = next((each.rho for each in found.baselines if each.is_symbolic_baseline), {})
    rows = [row_of(w.set_name(name), score, baselines.get(name)) for name, score in scores.items() if name != "sanity"]
    chart = draw_intervals(f"{phase}-rho", w.t("intervals.title"), [row for row in rows if row is not None], w)
    names = ("set", "graphs", "answered", "rho", "interval", "pearson", "rmse", "mae", "median_error")
    columns = tuple(ReportColumn(w.t(f"sets.{name}")) for name in names)
    table = Table("", columns, tuple(_row(name, score, w) for name, score in scores.items()))
    blocks: list[Block] = [PictureBlock((chart,))] if chart else []
    return ReportSection(
        f"{phase}-sets", w.t("section.sets"), (*blocks, table, Paragraph(w.t("sets.note"), is_note=True))
    )


def scores_of(best: BestFormula) -> dict[str, SetScore | None]:
    """Return the scores by data set; those that every summary has are there even if they were not recorded."""
    known = {"train": best.train, "validation": best.val, "test": best.test, "sanity": best.sanity}
    known |= {name: best.ood.get(name) for name in SETS if name not in known}
    more = {name: best.ood[name] for name in sorted(best.ood) if name not in known}
    return dict(list({**known, **more}.items())[:MOST_SETS])


def _row(name: str, score: SetScore | None, w: ReportWording) -> tuple[str, ...]:
    score = score or SetScore()
    return (
        w.set_name(name),
        w.count(score.graphs),
        w.share(score.answered),
        w.signed(score.rho),
        w.interval(score),
        w.signed(score.pearson),
        w.number(score.rmse),
        w.number(score.mae),
        w.share(score.median_error),
    )


def build_predictions_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    """Predicted against true: the test set large, the others small."""
    sets = _predictions(found)
    large = draw_scatter(f"{phase}-scatter", w.set_name(MAIN), sets.pop(MAIN, None), w)
    small = [
        draw_scatter(f"{phase}-scatter-{place}", w.set_name(name), each, w, small=True)
        for place, (name, each) in enumerate(sets.items())
    ]
    blocks = [*_pictures(large), *_pictures(*small), *_named_tables(found, w)]
    return ReportSection(f"{phase}-predictions", w.t("section.predictions"), tuple(blocks) or (Paragraph(w.missing),))


def _named_tables(found: ExperimentSummary, w: ReportWording) -> Iterator[Table]:
    """Yield a table of each set whose graphs have names: which of them is predicted badly, or not at all."""
    names = ("graph", "nodes", "true", "predicted", "error")
    columns = tuple(ReportColumn(w.t(f"named.{name}")) for name in names)
    known = found.best.graphs if found.best else {}
    for name in SETS:
        values = known.get(name, GraphValues())
        if MOST_FAMILIES < len(set(values.families)) == len(values.families) <= MOST_NAMED or name == "sanity":
            rows = zip(values.families, values.nodes, values.true, values.predicted, strict=False)
            cells = tuple(_named_cells(*row, w) for row in rows)
            yield from [Table(w.t("named.title", set=w.set_name(name)), columns, cells)] if cells else []


def _named_cells(name: str, nodes: int, true: float, predicted: float | None, w: ReportWording) -> tuple[str, ...]:
    error = None if predicted is None or true == 0 else predicted / true - 1
    return (
        w.text(name, 60),
        w.count(nodes),
        w.number(true, ".4g"),
        NO_VALUE if predicted is None else w.number(predicted, ".4g"),
        NO_VALUE if error is None else w.number(100 * error, "+.3g") + " %",
    )


def build_residuals_section(phase: str, found: ExperimentSummary, w: ReportWording) -> ReportSection:
    sets = _predictions(found)
    title = w.t("residuals.title", set=w.set_name(MAIN))
    chart = draw_residuals(f"{phase}-residuals", title, sets.get(MAIN), w)
    table = _residuals_table(sets, w)
    blocks = [*_pictures(chart), *([table] if table.rows else [])]
    return ReportSection(
        f"{phase}-residuals-by-family", w.t("section.residuals"), tuple(blocks) or (Paragraph(w.missing),)
    )


def _residuals_table(sets: dict[str, Predictions], w: ReportWording) -> Table:
    names = ("set", "family", "graphs", "median", "quarters", "ends", "rmse")
    columns = tuple(
        ReportColumn(w.t(f"residuals.{name}"), "names" if name == "family" else "numbers") for name in names
    )
    rows = tuple(
        (
            w.set_name(name),
            w.text(spread.family, 60) if spread.family else w.t("residuals.all"),
            w.count(spread.graphs),
            w.number(spread.median, "+.3g"),
            w.t("word.interval", low=w.number(spread.quarter, "+.3g"), high=w.number(spread.three_quarters, "+.3g")),
            w.t("word.interval", low=w.number(spread.low, "+.3g"), high=w.number(spread.high, "+.3g")),
            w.number(spread.rmse, ".3g"),
        )
        for name, each in sets.items()
        for spread in spreads_of(each)
    )
    return Table("", columns, rows)


def _predictions(found: ExperimentSummary) -> dict[str, Predictions]:
    """Return the graphs with predictions by set, in the order of the sets."""
    known = found.best.graphs if found.best else {}
    ordered = sorted(known, key=lambda name: (SETS.index(name) if name in SETS else len(SETS), name))
    return {name: each for name in ordered[:MOST_SETS] if (each := predictions_of(known[name])) is not None}


def _pictures(*charts: Chart | None) -> list[Block]:
    shown = tuple(chart for chart in charts if chart is not None)
    return [PictureBlock(shown)] if shown else []
