"""Which model made the candidate of each trial: a fold over the calls that were made for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evograft.log.records import BillableCall
    from evograft_hookspecs import Trial

_MUTATE = re.compile(r"(?P<trial>\d+)/mutate/[^/:]*(?:/(?P<attempt>\d+))?")
"""How the key of a call for a candidate begins; the attempt is missing in hand-written logs only."""


def is_for_candidate(call: BillableCall) -> bool:
    """Return whether a call was made for the candidate of its trial, by the operator or by a tool on its behalf.

    Calls of observers come after the commit and are nobody's doing.
    """
    return call.trial is not None and call.key.startswith(f"{call.trial}/mutate/")


class Called(NamedTuple):
    """A model that a trial called."""

    model: str
    attempt: int
    """How many candidates of the trial had been rejected and went back by then."""
    has_answer: bool


class Attribution:
    """Remembers which models each trial called. For any thread.

    A model is drawn for every proposal, and many operators ask none: what was drawn says nothing about who made what.
    """

    def __init__(self) -> None:
        self._calls: dict[int, list[Called]] = {}

    def add(self, key: str, model: str, *, has_answer: bool) -> None:
        """Note a call by its key, unless it was made for something other than a trial's candidate."""
        place = _MUTATE.match(key)
        if place is None:
            return
        called = Called(model, int(place["attempt"] or 0), has_answer)
        self._calls.setdefault(int(place["trial"]), []).append(called)

    def latest_of(self, trial: int) -> str:
        """Return the model that a trial called last; empty: none was called."""
        calls = self._calls.get(trial)
        return calls[-1].model if calls else ""

    def model_of(self, trial: Trial) -> str:
        """Return the model that made a trial's candidate; empty: no model was called.

        That is one that answered, in the last attempt in which any did: the one that was drawn, or else the last one.
        Where none answered, it is the one that was called in vain. An attempt to repair that left the candidate as it
        was is not in the trial, and the models that it called do not count.
        """
        calls = [call for call in self._calls.get(trial.number, ()) if call.attempt <= len(trial.attempts)]
        if not calls:
            return ""
        calls = [call for call in calls if call.has_answer] or calls
        models = [call.model for call in calls if call.attempt == calls[-1].attempt]
        drawn = trial.proposal.model if trial.proposal else ""
        return drawn if drawn in models else models[-1]

    def forget(self, trial: int) -> None:
        """Forget the calls of a trial that will make no others."""
        self._calls.pop(trial, None)
