"""The measures against stagnation, as parts of a summary."""

from __future__ import annotations

from dataclasses import asdict

from evograft_graph_invariant.constrained.events import find_fallback_events
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.records.experiment_log import ExperimentLog
from evograft_graph_invariant.records.history import GenerationHistory
from evograft_graph_invariant.records.summary.model import FallbackRecord


def list_fallbacks(
    history: GenerationHistory, log: ExperimentLog, options: FallbackOptions | None
) -> tuple[FallbackRecord, ...]:
    """Return all of them, in order; none if the run has no fallbacks."""
    if options is None:
        return ()
    size = history.generation_size
    events = find_fallback_events(history.trials, options, generation_size=size, dollars=log.dollars)
    return tuple(FallbackRecord(**asdict(event)) for event in events)
