"""Which model made the candidate of each trial: a fold over the answers in a run's log."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evograft.journal import Paid
    from evograft_hookspecs import Trial


def is_for_candidate(call: Paid) -> bool:
    """Return whether a call was made for the candidate of its trial, by the operator or by a tool on its behalf.

    Calls of observers come after the commit and are nobody's doing.
    """
    return call.trial is not None and call.key.startswith(f"{call.trial}/mutate/")


class Called(NamedTuple):
    """A model that a trial called."""

    model: str
    has_answer: bool


class Attribution:
    """Remembers which models each trial called. Calls are logged before their trial. For any thread.

    A model is drawn for every proposal, and many operators ask none: what was drawn says nothing about who made what.
    """

    def __init__(self) -> None:
        self._calls: dict[int, tuple[Called, ...]] = {}

    def add(self, call: Paid) -> None:
        """Note a call or a request, unless it was made for something other than a trial's candidate."""
        if call.trial is None or not is_for_candidate(call):
            return
        known = self._calls.get(call.trial, ())
        called = Called(call.model, call.has_answer)
        if called not in known:
            self._calls[call.trial] = (*known, called)

    def model_of(self, trial: Trial) -> str:
        """Return the model that made a trial's candidate; empty: no model was called.

        Of several that answered it is the one that was drawn, or else the last one. Where none answered, it is the one
        that was called in vain.
        """
        calls = self._calls.get(trial.number)
        if not calls:
            return ""
        models = [call.model for call in calls if call.has_answer] or [call.model for call in calls]
        drawn = trial.proposal.model if trial.proposal else ""
        return drawn if drawn in models else models[-1]
