"""What `evo report` shows of an AHC run: an entry point of the group `evograft.report`."""

from __future__ import annotations

from collections.abc import Iterator

from evograft.api import Journal, RunFolder
from evograft.text.i18n import Catalog
from evograft_ahc.reporting.answer_renderer import find_drawings
from evograft_ahc.reporting.generations import draw_generations
from evograft_ahc.reporting.heat_map import draw_heat_map
from evograft_ahc.reporting.score_history import ScoreHistory
from evograft_ahc.reporting.score_sections import build_score_sections
from evograft_ahc.scores.view import load_score_view
from evograft_ahc.settings.model import load_settings
from evograft_ahc.text.messages import Language
from evograft_ahc.workspace.folder import TASK_FILE, Workspace
from evograft_report.toolkit.section import Picture, Section


def build_sections(run: RunFolder, journal: Journal, language: str) -> Iterator[Section]:
    """Build the sections: scores over generations and cases, how programs were judged, answers, and the record."""
    t = Catalog(language, __package__)
    course = ScoreHistory.read(journal, run.pipeline)
    charts = (
        draw_generations(course.generations, t),
        draw_heat_map(course.steps, course.references, course.sign, t),
    )
    drawn = tuple(chart for chart in charts if chart is not None)
    if drawn:
        yield Section("cases", t("section.cases"), charts=drawn)
    judging = course.judging.describe(t)
    if judging:
        yield Section("judging", t("section.judging"), note=judging)
    drawings = find_drawings(run.path, course.steps[-1].number) if course.steps else ()
    if drawings:
        scores = course.steps[-1].evaluation.cases
        pictures = (
            Picture(t("drawing.case", case=each.case, score=f"{scores[each.case]:,.10g}"), each.svg)
            for each in drawings
        )
        yield Section("drawings", t("section.drawings"), note=t("drawing.note"), pictures=tuple(pictures))
    yield from _build_record(run, "ja" if language == "ja" else "en")


def _build_record(run: RunFolder, language: Language) -> Iterator[Section]:
    """Build the record of scores of the workspace that a session lies in; other runs have none."""
    workspace = Workspace(run.path.parent)
    if not (workspace.folder / TASK_FILE).is_file():
        return
    view = load_score_view(workspace, load_settings(workspace).values.scores)
    yield from build_score_sections(view, workspace.task.direction, language)
