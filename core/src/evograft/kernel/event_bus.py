"""Events of a run, told to its observers: committed ones with their place, live ones as they come."""

from __future__ import annotations

from typing import Any

from evograft.kernel.plugin_sets import PluginSet, PluginSets
from evograft.log.population import Population
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


class EventBus:
    """The way of events to plugins: counts the committed ones, so that each has the same place whenever it is told.

    Each set of plugins is told everything, from the first commit on. To the older ones committed events are told as
    replayed: they are to know, but what belongs on a disk is written by the newest.
    """

    def __init__(self, plugin_sets: PluginSets, population: Population) -> None:
        self._plugin_sets = plugin_sets
        self._population = population
        self._committed = 0
        self.replayed = False
        """Whether what happens now is in the log already; set by `Replay`."""

    def commit(self, kind: type[Committed], **content: Any) -> None:
        """Tell all plugins an event that the log keeps."""
        event = kind(seq=self._committed, replayed=self.replayed, **content)
        self._committed += 1
        for plugin_set in self._plugin_sets.older:
            self._tell(plugin_set, event.model_copy(update={"replayed": True}))
        self._tell(self._plugin_sets.newest, event)

    def announce(self, event: Event) -> None:
        """Tell the newest plugins an event that happens once."""
        self._tell(self._plugin_sets.newest, event)

    def _tell(self, plugin_set: PluginSet, event: Event) -> None:
        """Tell an event; an observer that fails is left out, and the others are told that."""
        trial = event.trial.number if isinstance(event, TrialCommitted) else None
        # A trial is committed once; its place does not depend on what else happened, which a replay need not repeat.
        occurrence = event.seq if isinstance(event, CommittedEvent) and trial is None else 0
        scope = plugin_set.scope.at(trial, view=self._population.commits, occurrence=occurrence)
        for failure in plugin_set.hooks.observe(scope, event):
            self._tell(plugin_set, ObserverFailed(reason=str(failure)))
