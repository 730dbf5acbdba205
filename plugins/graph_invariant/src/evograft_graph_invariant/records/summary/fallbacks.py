"""What was done about islands that ran dry, as parts of a summary."""

from __future__ import annotations

from dataclasses import asdict

from evograft_graph_invariant.constrained.events import fallback_events
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.records.follower import Follower
from evograft_graph_invariant.records.history import Chronicle
from evograft_graph_invariant.records.summary.parts import FallbackRecord


def fallback_records(
    chronicle: Chronicle, follower: Follower, options: FallbackOptions | None
) -> tuple[FallbackRecord, ...]:
    """All of them, in order; none, where the run has no fallbacks."""
    if options is None:
        return ()
    size = chronicle.generation_size
    events = fallback_events(chronicle.trials, options, generation_size=size, dollars=follower.dollars)
    return tuple(FallbackRecord(**asdict(event)) for event in events)
