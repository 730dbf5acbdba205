"""The page of a run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from evograft.text.i18n import Catalog
from evograft_report.charts.report_charts import ReportCharts, draw_charts
from evograft_report.figures.run_figures import RunFigures
from evograft_report.toolkit import numbers
from evograft_report.toolkit.document import render
from evograft_report.toolkit.section import Section

PACKAGE = "evograft_report"


def get_catalog(language: str) -> Catalog:
    """Return the words of a run's page."""
    return Catalog(language, PACKAGE)


def render_page(figures: RunFigures, t: Catalog, plugin_sections: Sequence[Section] = ()) -> str:
    """Return the HTML of a report.

    Args:
        figures: of the run.
        t: the page's words.
        plugin_sections: what plugins add.
    """
    charts = draw_charts(figures, t)
    return render(
        PACKAGE,
        "page.html",
        t,
        css=("report.css",),
        f=numbers,
        figures=figures,
        head=figures.head,
        total=figures.costs.total,
        asked=figures.costs.total.calls > 0,
        lineage=figures.lineage,
        front=figures.front,
        case_front=figures.case_front,
        metrics=figures.metrics,
        judgement=figures.judgement,
        history=figures.history,
        mended=any(each.attempts for each in figures.failures.shown),
        returns=figures.cycling.total,
        cost_operators=_cost_operators(figures),
        charts=charts,
        plugin_sections=plugin_sections,
        contents=_contents(figures, charts, plugin_sections, t),
        as_of=_time(figures.head.as_of),
    )


def _contents(
    figures: RunFigures, charts: ReportCharts, plugin_sections: Sequence[Section], t: Catalog
) -> list[tuple[str, str]]:
    """Return the parts that the page has, in its order: names and titles."""
    first = [name for name in ("scores", "best") if name == "scores" or figures.lineage]
    own = [(name, t(f"section.{name}")) for name in (*first, *_sections(figures, charts))]
    return [*own[: len(first)], *((section.name, section.title) for section in plugin_sections), *own[len(first) :]]


def _sections(figures: RunFigures, charts: ReportCharts) -> list[str]:
    """Return the sections after the best program."""
    there = {
        "front": figures.front,
        "case_front": figures.case_front,
        "metrics": figures.metrics,
        "judgement": figures.judgement,
        "operators": figures.operators,
        "islands": charts.islands,
        "lineage": figures.lineage,
        "failures": figures.failures.shown,
        "cycling": figures.cycling.of,
        "costs": True,
        "history": True,
        "settings": True,
    }
    return [name for name, is_there in there.items() if is_there]


def _cost_operators(figures: RunFigures) -> list[object]:
    unfinished = figures.costs.unfinished
    return [*figures.costs.by_operator, *([unfinished] if unfinished.calls else [])]


def _time(at: float | None) -> str:
    return "" if at is None else f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"
