"""The report, put together from the contents of an artifacts folder."""

from __future__ import annotations

from collections.abc import Mapping

from evograft_graph_invariant.records.summary.model import ExperimentSummary
from evograft_graph_invariant.reporting.artifacts import Artifacts
from evograft_graph_invariant.reporting.blocks import Chapter, ExperimentReport
from evograft_graph_invariant.reporting.sections.baselines import baselines_section
from evograft_graph_invariant.reporting.sections.best import best_section, formulas_of
from evograft_graph_invariant.reporting.sections.calls import calls_section
from evograft_graph_invariant.reporting.sections.origin import (
    attribution_section,
    cost_section,
    data_section,
    run_section,
)
from evograft_graph_invariant.reporting.sections.search import elites_section, fallbacks_section, islands_section
from evograft_graph_invariant.reporting.sections.sets import predictions_section, residuals_section, sets_section
from evograft_graph_invariant.reporting.sections.status import status_section
from evograft_graph_invariant.reporting.sections.verdicts import tiles_of, verdicts_section
from evograft_graph_invariant.reporting.typesetting import Typeset, typeset
from evograft_graph_invariant.reporting.wording import ReportWording


def build_report(artifacts: Artifacts, w: ReportWording) -> ExperimentReport:
    """Build the report in one language."""
    phases = artifacts.phases
    formulas = typeset([text for found in phases.values() for text in formulas_of(found)])
    experiment = next((found.experiment_id for found in phases.values() if found.experiment_id), artifacts.folder.name)
    chapters = [_chapter(phase, found, formulas, w) for phase, found in phases.items()]
    return ExperimentReport(w.text(experiment, 200), _notes(artifacts, w), (*chapters, _records(artifacts, w)))


def _chapter(number: int, found: ExperimentSummary, formulas: Mapping[str, Typeset], w: ReportWording) -> Chapter:
    phase = f"phase{number}"
    sections = (
        verdicts_section(phase, found, w),
        best_section(phase, found, formulas, w),
        sets_section(phase, found, w),
        predictions_section(phase, found, w),
        residuals_section(phase, found, w),
        baselines_section(phase, found, w),
        elites_section(phase, found, w),
        islands_section(phase, found, w),
        fallbacks_section(phase, found, w),
        attribution_section(phase, found, w),
        data_section(phase, found, w),
        cost_section(phase, found, w),
        run_section(phase, found, w),
    )
    subtitle = w.t("chapter.what", target=w.text(found.target, 100), level=w.text(found.level, 60))
    return Chapter(phase, w.t("chapter.phase", number=number), subtitle, tiles_of(found, w), sections)


def _records(artifacts: Artifacts, w: ReportWording) -> Chapter:
    sections = (calls_section(artifacts.events, w), status_section(artifacts.checkpoint, w))
    return Chapter("records", w.t("chapter.records"), "", (), sections)


def _notes(artifacts: Artifacts, w: ReportWording) -> tuple[str, ...]:
    """Yield what a reader should know about the files."""
    notes = [w.text(note, 1500) for note in artifacts.problems]
    if artifacts.under_way:
        generation = artifacts.under_way.generation
        notes.append(w.t("page.under_way", number=artifacts.under_way.phase, generation=generation))
    elif not artifacts.summaries:
        notes.append(w.t("page.no_summary"))
    for number, found in artifacts.summaries.items():
        notes += [f"{w.t('chapter.phase', number=number)}: {w.text(note, 1500)}" for note in found.notes]
    return tuple(notes)
