"""The log of an experiment's run as a view of its history: when trials were finished, and what models were asked."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from evograft.api import BillableCall, CompletedCall, Journal, Pipeline, RunHistory, Spending
from evograft_hookspecs import LlmAnswer, LlmRequest


@dataclass(frozen=True)
class Exchange:
    """A call of a model."""

    model: str
    request: LlmRequest
    answer: LlmAnswer | None
    refused: str
    """Why there is no answer."""
    at: float
    """Unix time."""


@dataclass(frozen=True)
class TrialCalls:
    """What the log holds of a trial in addition to the trial itself."""

    at: float
    """Unix time at which it was finished."""
    exchanges: tuple[Exchange, ...]
    """The calls of its `mutate`, in order."""


class ExperimentLog:
    """The log as it grows; texts of calls are read when their trial is asked for."""

    def __init__(self, journal: Journal, settings: Pipeline) -> None:
        self._journal = journal
        self._history = RunHistory(journal, settings)
        self._finished: dict[int, float] = {}
        self._calls: dict[int, list[tuple[int, CompletedCall]]] = {}
        """The calls that were answered or refused, each with the place of its row, by trial."""
        self.paid: dict[int, list[BillableCall]] = {}
        """The calls for the candidate of each committed trial, without their texts."""
        self.dollars: defaultdict[int, float] = defaultdict(float)
        """What the calls of each committed trial have cost, as far as known."""

    @property
    def spent(self) -> Spending:
        """Return the sum of all calls in the log as far as it was read."""
        return self._history.spending.total

    @property
    def models(self) -> tuple[str, ...]:
        """Return the models that were called, by name."""
        return tuple(sorted(name for name, spent in self._history.spending.by_model.items() if spent.calls))

    @property
    def elapsed(self) -> float:
        """Return the wall seconds that the run has worked."""
        return self._history.elapsed

    def take(self, trial: int) -> TrialCalls:
        """Return what is known of a committed trial; it can be asked for once."""
        if trial not in self._finished:
            self.read_on()
        calls = self._calls.pop(trial, [])
        return TrialCalls(self._finished.pop(trial), tuple(self._exchange(place, call) for place, call in calls))

    def read_on(self) -> None:
        """Read what is new in the log."""
        for commit in self._history.read_on():
            number = commit.trial.number
            self._finished[number] = commit.finished.at
            calls = commit.for_candidate
            if calls:
                self.paid[number] = [each.call for each in calls]
            for each in calls:
                if isinstance(each.call, CompletedCall):
                    self._calls.setdefault(number, []).append((each.place, each.call))
                    self.dollars[number] += each.call.usage.dollars or 0.0

    def _exchange(self, place: int, call: CompletedCall) -> Exchange:
        request, answer, refused = self._journal.exchange(place)
        return Exchange(call.model, request, answer, refused, call.at)
