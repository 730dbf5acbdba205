"""Telling observers what happens: committed events with their place, live ones as they come."""

from __future__ import annotations

from typing import Any

from evograft.plugin.context import Scope
from evograft.plugin.hooks import Hooks
from evograft_hookspecs import (
    CommittedEvent,
    ControlApplied,
    Event,
    FinalEvaluated,
    ObserverFailed,
    ProblemAnalyzed,
    TrialCommitted,
)

Committed = ProblemAnalyzed | TrialCommitted | ControlApplied | FinalEvaluated


class Events:
    """Counts the committed events of a run, so that each has the same place whenever it is told."""

    def __init__(self) -> None:
        self._committed = 0

    def next(self, kind: type[Committed], *, replayed: bool, **content: Any) -> Committed:
        """The next event that the log keeps."""
        event = kind(seq=self._committed, replayed=replayed, **content)
        self._committed += 1
        return event

    def tell(self, hooks: Hooks, scope: Scope, event: Event, *, view: int) -> None:
        """Tells an event; an observer that fails is left out, and the others are told that."""
        trial = event.trial.number if isinstance(event, TrialCommitted) else None
        # A trial is committed once; its place does not depend on what else happened, which a replay need not repeat.
        occurrence = event.seq if isinstance(event, CommittedEvent) and trial is None else 0
        for failure in hooks.observe(scope.at(trial, view=view, occurrence=occurrence), event):
            self.tell(hooks, scope, ObserverFailed(reason=str(failure)), view=view)
