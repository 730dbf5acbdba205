"""Events of stagnant islands, read from the committed trials alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.constrained.proposal_facts import ProposalFacts
from evograft_graph_invariant.constrained.stagnation import StagnationTracker
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
    for a generation; `refused`: it was due, and the month's money or something else did not allow it, or it gave no
    answer."""
    reason: str
    dollars: float | None = None
    """The cost of the model; `None`: unknown, or another kind of event."""


def find_fallback_events(
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
    tracker = StagnationTracker(options, generation_size)
    events: dict[object, FallbackEvent] = {}
    for trial in trials:
        changes = tracker.add(trial)
        key, event = _use(trial, tracker.generation, options, dollars.get(trial.number))
        if event is not None:
            known = events.get(key)
            events[key] = replace(known, dollars=_sum(known.dollars, event.dollars)) if known else event
        events.update({change: FallbackEvent(**vars(change)) for change in changes})
    return tuple(events.values())


def _use(
    trial: Trial, generation: int, options: FallbackOptions, dollars: float | None
) -> tuple[object, FallbackEvent | None]:
    """Return the event of a trial for which the fallback model was due, and a key common to the event's trials."""
    facts = ProposalFacts.read(trial.proposal)
    if facts is None or not facts.use or trial.selection is None or trial.proposal is None:
        return None, None
    island = trial.selection.island
    if trial.model == options.model:
        reason = f"use {facts.use} of {options.model_uses}: {options.model}"
        return (facts.use, "fallback_model"), FallbackEvent(generation, island, "fallback_model", reason, dollars)
    why = "gave no answer" if trial.proposal.model == options.model else "was not granted"
    reason = f"use {facts.use} of {options.model_uses}: {options.model} {why}; trial {trial.number} went without"
    return (facts.use, "refused"), FallbackEvent(generation, island, "refused", reason)


def _sum(known: float | None, more: float | None) -> float | None:
    return None if known is None or more is None else known + more
