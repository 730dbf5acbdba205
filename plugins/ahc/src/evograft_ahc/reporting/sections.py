"""What `evo report` shows of an AHC run: an entry point of the group `evograft.report`."""

from __future__ import annotations

from collections.abc import Iterator

from evograft.api import Journal, RunFolder
from evograft.text.i18n import Catalog
from evograft_ahc.reporting.answer_renderer import paintings_of
from evograft_ahc.reporting.generations import generations_chart
from evograft_ahc.reporting.heat_map import heat_map
from evograft_ahc.reporting.score_history import Course
from evograft_report.toolkit.section import Picture, Section


def sections(run: RunFolder, journal: Journal, language: str) -> Iterator[Section]:
    """Scores over generations and cases, and what the visualiser made of the best program's answers."""
    t = Catalog(language, __package__)
    course = Course(journal.records(), run.pipeline.generation_size)
    charts = (
        generations_chart(course.generations, t),
        heat_map(course.steps, course.references, course.sign, t),
    )
    drawn = tuple(chart for chart in charts if chart is not None)
    if drawn:
        yield Section("cases", t("section.cases"), charts=drawn)
    paintings = paintings_of(run.path, course.steps[-1].number) if course.steps else ()
    if paintings:
        scores = course.steps[-1].evaluation.cases
        pictures = (
            Picture(t("drawing.case", case=each.case, score=f"{scores[each.case]:,.10g}"), each.svg)
            for each in paintings
        )
        yield Section("drawings", t("section.drawings"), note=t("drawing.note"), pictures=tuple(pictures))
