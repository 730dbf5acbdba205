"""The report, put together from the contents of an artifacts folder."""

from __future__ import annotations

from collections.abc import Mapping

from evograft_graph_invariant.records.summary.model import ExperimentSummary
from evograft_graph_invariant.reporting.artifacts import Artifacts
from evograft_graph_invariant.reporting.blocks import Chapter, ExperimentReport
from evograft_graph_invariant.reporting.sections.baselines import build_baselines_section
from evograft_graph_invariant.reporting.sections.best import build_best_section, formulas_of
from evograft_graph_invariant.reporting.sections.calls import build_calls_section
from evograft_graph_invariant.reporting.sections.origin import (
    build_attribution_section,
    build_cost_section,
    build_data_section,
    build_run_section,
)
from evograft_graph_invariant.reporting.sections.search import (
    build_elites_section,
    build_fallbacks_section,
    build_islands_section,
)
from evograft_graph_invariant.reporting.sections.sets import (
    build_predictions_section,
    build_residuals_section,
    build_sets_section,
)
from evograft_graph_invariant.reporting.sections.status import build_status_section
from evograft_graph_invariant.reporting.sections.verdicts import build_verdicts_section, tiles_of
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
        build_verdicts_section(phase, found, w),
        build_best_section(phase, found, formulas, w),
        build_sets_section(phase, found, w),
        build_predictions_section(phase, found, w),
        build_residuals_section(phase, found, w),
        build_baselines_section(phase, found, w),
        build_elites_section(phase, found, w),
        build_islands_section(phase, found, w),
        build_fallbacks_section(phase, found, w),
        build_attribution_section(phase, found, w),
        build_data_section(phase, found, w),
        build_cost_section(phase, found, w),
        build_run_section(phase, found, w),
    )
    subtitle = w.t("chapter.what", target=w.text(found.target, 100), level=w.text(found.level, 60))
    return Chapter(phase, w.t("chapter.phase", number=number), subtitle, tiles_of(found, w), sections)


def _records(artifacts: Artifacts, w: ReportWording) -> Chapter:
    sections = (build_calls_section(artifacts.events, w), build_status_section(artifacts.checkpoint, w))
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
