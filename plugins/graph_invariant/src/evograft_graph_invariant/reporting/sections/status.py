"""The section on the state of an experiment when its newest checkpoint was written."""

from __future__ import annotations

from evograft_graph_invariant.records.checkpoint import Checkpoint
from evograft_graph_invariant.reporting.blocks import Pairs, Paragraph, ReportSection
from evograft_graph_invariant.reporting.wording import ReportWording


def build_status_section(found: Checkpoint | None, w: ReportWording) -> ReportSection:
    title = w.t("section.checkpoints")
    if found is None:
        return ReportSection("checkpoints", title, (Paragraph(w.missing),))
    used = ", ".join(
        f"{w.text(name, 60)} {w.text(str(value), 60)}" for name, value in list(found.fallbacks.items())[:20]
    )
    rows = (
        ("standing.experiment", w.text(found.experiment_id)),
        ("standing.phase", str(found.phase)),
        ("standing.generation", w.count(found.generation)),
        ("standing.early_stop", w.count(found.early_stop_counter)),
        ("standing.next_trial", w.count(found.rng_state.trial)),
        ("standing.fallbacks", used or w.missing),
        ("standing.run", w.text(found.run.folder, 500)),
    )
    return ReportSection("checkpoints", title, (Pairs(tuple((w.t(key), value) for key, value in rows)),))
