"""The page: one file that needs no network and runs no script, whatever its texts hold."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evograft.report import numbers
from evograft.report.charts import Charts, charts_of
from evograft.report.figures import Figures
from evograft.report.palette import variables
from evograft.report.texts import Texts


def page_of(figures: Figures, t: Texts) -> str:
    """The HTML of a report."""
    charts, style = charts_of(figures, t), variables() + load_css("charts.css") + load_css("page.css")
    return (
        _templates()
        .get_template("page.html")
        .render(
            t=t,
            f=numbers,
            figures=figures,
            head=figures.head,
            total=figures.costs.total,
            asked=figures.costs.total.calls > 0,
            lineage=figures.lineage,
            judgement=figures.judgement,
            history=figures.history,
            mended=any(each.attempts for each in figures.failures.shown),
            returns=figures.cycling.total,
            cost_operators=_cost_operators(figures),
            charts=charts,
            sections=_sections(figures, charts),
            style=Markup(style),  # noqa: S704 - our own files
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            version=version("evograft"),
            as_of=_time(figures.head.as_of),
        )
    )


@cache
def load_css(name: str) -> str:
    return files("evograft.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("evograft.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _sections(figures: Figures, charts: Charts) -> list[str]:
    """The parts that the page has, in its order."""
    there = {
        "scores": True,
        "best": figures.lineage,
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


def _cost_operators(figures: Figures) -> list[object]:
    unfinished = figures.costs.unfinished
    return [*figures.costs.by_operator, *([unfinished] if unfinished.calls else [])]


def _time(at: float | None) -> str:
    return "" if at is None else f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"
