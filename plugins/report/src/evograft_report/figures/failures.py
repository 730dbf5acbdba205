"""Why candidates were rejected, by reason; numbers, names and addresses in the reason split no group."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from evograft.log.history import operator_of
from evograft.runs.status import kind_of_failure
from evograft.text.escapes import sanitize
from evograft.text.excerpts import Program, program
from evograft_hookspecs import Trial

MOST_KINDS = 2000
"""Kinds of reasons that are distinguished; should there be more, those that come up later are counted together."""
MOST_SHOWN = 25
EXAMPLE_LINES = 30
_LONGEST = 500

_IDENTIFIER = re.compile(r"\b(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]{6,}(?:-[0-9a-fA-F]+)*\b")
_FOLDERS = re.compile(r"(?:/[\w.+@-]+)+/(?=[\w.+@-])")
_SIGN = re.compile(r"(?<!\w)[-+]#")
_LIST = re.compile(r"#(?:(?:, ?| )#)+")


@dataclass(frozen=True)
class FailureGroup:
    """One kind of failure."""

    kind: str
    trials: int
    """Trials that ended with it."""
    attempts: int
    """Candidates that had it and were sent back to be repaired."""
    example_trial: int
    example_operator: str
    example_reason: str
    """The reason of that trial, verbatim."""
    example: Program
    """Its candidate; without files: there was none."""


@dataclass(frozen=True)
class Failures:
    """All failures of a run, the most frequent kinds first."""

    shown: tuple[FailureGroup, ...]
    other_kinds: int
    """Kinds that are not shown."""
    other_trials: int
    trials: int
    """Trials without a valid candidate; pruned ones are none of these."""


@dataclass(slots=True)
class _Group:
    trial: int
    operator: str
    reason: str
    attempt: int | None
    """The place of the example among the trial's attempts; `None`: its last candidate."""
    trials: int = 0
    attempts: int = 0


class FailureFold:
    """A fold over commits; it keeps a reason for each kind, and no programs."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}
        self._trials = 0

    def add(self, trial: Trial) -> None:
        operator = operator_of(trial)
        for place, attempt in enumerate(trial.attempts):
            group = self._group(trial.number, operator, attempt.reason, place)
            group.attempts += 1
        if trial.evaluation.status in ("rejected", "failed"):
            self._trials += 1
            group = self._group(trial.number, operator, trial.evaluation.reason, None)
            group.trials += 1

    def failures(self, lookup: Callable[[int], Trial]) -> Failures:
        """Return the most frequent kinds.

        Args:
            lookup: finds the trials of the examples by number.
        """
        ranked = sorted(self._groups.items(), key=lambda item: (-item[1].trials, -item[1].attempts, item[1].trial))
        shown, others = ranked[:MOST_SHOWN], ranked[MOST_SHOWN:]
        return Failures(
            shown=tuple(_failure(kind, group, lookup(group.trial)) for kind, group in shown),
            other_kinds=len(others),
            other_trials=sum(group.trials for _, group in others),
            trials=self._trials,
        )

    def _group(self, trial: int, operator: str, reason: str, attempt: int | None) -> _Group:
        kind = kind_of(reason)
        if kind not in self._groups and len(self._groups) >= MOST_KINDS:
            kind = "…"
        return self._groups.setdefault(kind, _Group(trial, operator, sanitize(reason, _LONGEST), attempt))


def kind_of(reason: str) -> str:
    """Return a reason without what differs from trial to trial."""
    first = sanitize(reason.partition("\n")[0], _LONGEST)
    plain = kind_of_failure(_FOLDERS.sub("…/", _IDENTIFIER.sub("#", first)))
    return _LIST.sub("#, …", _SIGN.sub("#", plain))


def _failure(kind: str, group: _Group, trial: Trial) -> FailureGroup:
    candidate = trial.candidate if group.attempt is None else trial.attempts[group.attempt].candidate
    return FailureGroup(
        kind=kind,
        trials=group.trials,
        attempts=group.attempts,
        example_trial=group.trial,
        example_operator=group.operator,
        example_reason=group.reason,
        example=program(candidate.files, lines=EXAMPLE_LINES, most=5) if candidate else Program(),
    )
