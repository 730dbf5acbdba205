"""The evidence of a run: the gains of trials that were shown a bullet, and of trials that it was kept from."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evograft_hookspecs import Proposal, Trial
from evograft_playbook.learning.credit import BulletEstimate, estimate_effect
from evograft_playbook.learning.recall import OURS, bullet_ids, offered_ids


@dataclass(frozen=True)
class _Gain:
    """The evidence of one trial."""

    commit: int
    operator: str
    gain: float
    """Over the better of its parents; minus infinity: rejected."""
    shown: tuple[str, ...]
    kept_back: tuple[str, ...]
    """Bullets that fitted as well and were left out by chance."""


class BulletEvidence:
    """A fold over commits.

    Args:
        prefix: what the ids of the advice begin with that is looked at.
    """

    def __init__(self, prefix: str = OURS) -> None:
        self._prefix = prefix
        self._scores: dict[int, float] = {}
        self._gains: list[_Gain] = []
        self._first = 0
        self._reading: set[str] = set()
        """Operators that were seen to put advice into a prompt: what the others gain says nothing about a bullet."""

    def add(self, trial: Trial, fitting: Collection[str], *, commit: int) -> None:
        """Follow a commit.

        Args:
            trial: that was committed.
            fitting: the ids of the bullets that fitted it, shown or not.
            commit: how many commits there were before.
        """
        if trial.evaluation.score is not None:
            self._scores[trial.number] = trial.evaluation.score
        gain = self._gain(trial)
        if trial.proposal is None or gain is None or trial.number < self._first:
            return
        used = _used_advice(trial, trial.proposal)
        if trial.candidate and used:
            self._reading.add(trial.proposal.operator)
        offered = offered_ids(trial.proposal, self._prefix)
        shown = tuple(each for each in bullet_ids(used, self._prefix) if each in offered)
        kept_back = tuple(each for each in fitting if each not in offered)
        if shown or kept_back:
            self._gains.append(_Gain(commit, trial.proposal.operator, gain, shown, kept_back))

    def restart(self, first: int) -> None:
        """Drop what trials before this one said: under the settings that they had, other bullets fitted."""
        self._gains.clear()
        self._first = first

    def estimates(self, *, since: int) -> list[BulletEstimate]:
        """Estimate what each bullet did to the trials from a commit on, by id, where there are enough of them."""
        gained: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
        for each in self._gains:
            if each.commit >= since and each.operator in self._reading:
                for bullet_id in each.shown:
                    gained[bullet_id][0].append(each.gain)
                for bullet_id in each.kept_back:
                    gained[bullet_id][1].append(each.gain)
        found = (estimate_effect(bullet_id, *gained[bullet_id]) for bullet_id in sorted(gained))
        return [estimate for estimate in found if estimate is not None]

    def _gain(self, trial: Trial) -> float | None:
        """Return what the trial gained.

        `None`: nothing is known of the trial, or there is nothing to compare it with.
        """
        parents: Sequence[int] = trial.selection.parents if trial.selection else ()
        known = [self._scores[parent] for parent in parents if parent in self._scores]
        if not known or trial.evaluation.status == "failed":
            return None
        score = trial.evaluation.score
        return -math.inf if score is None else score - max(known)


def _used_advice(trial: Trial, proposal: Proposal) -> tuple[str, ...]:
    """Return the ids of the advice in a trial's prompt; where nothing came of one, all that was offered was in it."""
    return trial.candidate.used_advice if trial.candidate else tuple(each.id for each in proposal.advice)
