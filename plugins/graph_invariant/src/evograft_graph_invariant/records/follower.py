"""What the log knows of a trial beside the trial itself: when it was finished, and what models were asked for it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from evograft.api import BillableCall, CompletedCall, FailedCharge, Finished, Journal, Spending, is_for_candidate
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
    """Of one trial."""

    at: float
    """Unix time at which it was finished."""
    exchanges: tuple[Exchange, ...]
    """The calls of its `mutate`, in order."""


class LogFollower:
    """Reads a log as it grows; texts of calls are read when their trial is asked for."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._last = -1
        self._calls: defaultdict[int, list[tuple[int, CompletedCall]]] = defaultdict(list)
        self._finished: dict[int, float] = {}
        self.spent = Spending()
        """All calls in the log as far as it was read."""
        self.models: set[str] = set()
        self.paid: defaultdict[int, list[BillableCall]] = defaultdict(list)
        """The calls for the candidate of each trial, without their texts."""
        self.dollars: defaultdict[int, float] = defaultdict(float)
        """What the calls of each trial have cost, as far as known."""
        self.elapsed = 0.0
        """Wall seconds that the run has worked."""

    def take(self, trial: int) -> TrialCalls:
        """What is known of a committed trial, handed out once."""
        if trial not in self._finished:
            self.read_on()
        at = self._finished.pop(trial)
        calls = self._calls.pop(trial, [])
        return TrialCalls(at, tuple(self._exchange(place, call) for place, call in calls))

    def read_on(self) -> None:
        """Reads what is new."""
        for place, record in self._journal.placed_records(after=self._last):
            self._last = place
            if isinstance(record, CompletedCall):
                self._add(place, record)
            elif isinstance(record, FailedCharge):
                self.spent.add(record)
                self._note(record)
            elif isinstance(record, Finished):
                self._finished[record.trial.number] = record.at
                self.elapsed = max(self.elapsed, record.elapsed)

    def _add(self, place: int, call: CompletedCall) -> None:
        self.spent.add(call)
        self.models.add(call.model)
        if self._note(call) and call.trial is not None:
            self._calls[call.trial].append((place, call))
            self.dollars[call.trial] += call.usage.dollars or 0.0

    def _note(self, paid: BillableCall) -> bool:
        """Keep what was paid for a trial's candidate; returns whether it was for one."""
        if paid.trial is None or not is_for_candidate(paid):
            return False
        self.paid[paid.trial].append(paid)
        return True

    def _exchange(self, place: int, call: CompletedCall) -> Exchange:
        request, answer, refused = self._journal.exchange(place)
        return Exchange(call.model, request, answer, refused, call.at)
