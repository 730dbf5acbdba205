"""Puts a report together from what an artifacts folder holds."""

from __future__ import annotations

from collections.abc import Mapping

from evograft_graph_invariant.records.summary import Summary
from evograft_graph_invariant.report_page.artifacts import Artifacts
from evograft_graph_invariant.report_page.blocks import Chapter, Report, Section, Words
from evograft_graph_invariant.report_page.sections.best import best_section, formulas_of
from evograft_graph_invariant.report_page.sections.calls import calls_section
from evograft_graph_invariant.report_page.sections.origin import cost_section, data_section, run_section
from evograft_graph_invariant.report_page.sections.rivals import rivals_section
from evograft_graph_invariant.report_page.sections.search import elites_section, fallbacks_section, islands_section
from evograft_graph_invariant.report_page.sections.sets import predictions_section, residuals_section, sets_section
from evograft_graph_invariant.report_page.sections.verdicts import tiles_of, verdicts_section
from evograft_graph_invariant.report_page.typesetting import Typeset, typeset
from evograft_graph_invariant.report_page.wording import Wording


def report_of(artifacts: Artifacts, w: Wording) -> Report:
    """The report in one language."""
    summaries = artifacts.summaries or {"phase1": Summary()}
    formulas = typeset([text for found in summaries.values() for text in formulas_of(found)])
    experiment = next(
        (found.experiment_id for found in summaries.values() if found.experiment_id), artifacts.folder.name
    )
    chapters = [_chapter(phase, found, formulas, w) for phase, found in summaries.items()]
    return Report(w.text(experiment, 200), _notes(artifacts, w), (*chapters, _records(artifacts, w)))


def _chapter(phase: str, found: Summary, formulas: Mapping[str, Typeset], w: Wording) -> Chapter:
    sections = (
        verdicts_section(phase, found, w),
        best_section(phase, found, formulas, w),
        sets_section(phase, found, w),
        predictions_section(phase, found, w),
        residuals_section(phase, found, w),
        rivals_section(phase, found, w),
        elites_section(phase, found, w),
        islands_section(phase, found, w),
        fallbacks_section(phase, found, w),
        data_section(phase, found, w),
        cost_section(phase, found, w),
        run_section(phase, found, w),
    )
    subtitle = w.t("chapter.what", target=w.text(found.target, 100), level=w.text(found.level, 60))
    return Chapter(phase, w.t(f"chapter.{phase}"), subtitle, tiles_of(found, w), sections)


def _records(artifacts: Artifacts, w: Wording) -> Chapter:
    kept = artifacts.checkpoints
    words = w.t("checkpoints.newest", n=len(kept), path=w.text(kept[-1], 300)) if kept else w.missing
    checkpoints = Section("checkpoints", w.t("section.checkpoints"), (Words(words),))
    return Chapter("records", w.t("chapter.records"), "", (), (calls_section(artifacts.events, w), checkpoints))


def _notes(artifacts: Artifacts, w: Wording) -> tuple[str, ...]:
    """What a reader should know about the files."""
    notes = [note for found in artifacts.summaries.values() for note in found.notes]
    missing = () if artifacts.summaries else (w.t("page.no_summary"),)
    return (*missing, *(w.text(note, 1500) for note in (*artifacts.problems, *notes)))
