"""What happened to islands that ran dry, read from the committed trials alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from evograft_graph_invariant.fallbacks.options import FallbackOptions
from evograft_hookspecs import FrozenDict, Trial

Kind = Literal["constrained_on", "constrained_off", "fallback_model", "refused"]


@dataclass(frozen=True)
class FallbackEvent:
    """An entry of the records and a row of the report."""

    generation: int
    """The generation of the trial that it happened with; seeds are generation 0."""
    island: int
    kind: Kind
    """`constrained_on`, `constrained_off`: constrained generation began or ended; `fallback_model`: the model was used
    for a generation; `refused`: it was due, and the month's money or something else did not allow it."""
    reason: str
    dollars: float | None = None
    """What the model cost; `None`: unknown, or another kind of event."""


def fallback_events(
    trials: Iterable[Trial],
    options: FallbackOptions,
    *,
    generation_size: int,
    dollars: Mapping[int, float] = FrozenDict(),
) -> tuple[FallbackEvent, ...]:
    """All that happened, in order.

    Args:
        trials: of a run, all in the order of their commits.
        options: that the run was made with.
        generation_size: trials that make a generation.
        dollars: what the calls of each trial have cost, by its number, as far as known.
    """
    return ()
