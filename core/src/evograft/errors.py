"""What can go wrong, by how the caller reacts: each class has the exit code of `evo`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping


class EvograftError(Exception):
    """Who, what, and what to do, in one line."""

    exit_code = 1
    is_resumable = True
    """Whether a run that it ended can be resumed once the cause is gone."""
    in_trials = False
    """Whether it ended a run whose trials had begun."""
    hint = ""
    """The command that helps, where the message ends with one."""

    def __init__(self, *message: str, hint: str = "") -> None:
        super().__init__(*message)
        if hint:
            self.hint = hint


class UserError(EvograftError):
    """The input is at fault: a misspelt key, a missing file, an unknown name."""

    exit_code = 2


class PluginError(EvograftError):
    """A plugin is at fault; the message names it with its distribution and hook."""

    exit_code = 3


class ServiceError(EvograftError):
    """Something outside is at fault: a provider, a disk, a cluster."""

    exit_code = 4


class RunStopping(EvograftError):  # noqa: N818 - it names what became of the work
    """The work at hand was given up, and nobody is at fault: the run stops. It is done when the run goes on."""


class BudgetSpent(RunStopping):
    """What is left of the budget does not cover the next call.

    Args:
        reason: for people.
        facts: the setting of the budget that was reached, as `limit`, and its `value`, where it is one.
    """

    def __init__(self, reason: str, facts: Mapping[str, str | float] | None = None) -> None:
        super().__init__(reason)
        self.facts = facts or {}


class HookAborted(BaseException):
    """Carries an error out of a hook that must not go on; no plugin is to catch it.

    Args:
        error: what the kernel is to see instead.
    """

    def __init__(self, error: EvograftError) -> None:
        super().__init__(str(error))
        self.error = error


class LogDamaged(ServiceError):  # noqa: N818 - it names what is the matter
    """The log of a run is not what was written.

    Args:
        message: the place, and what to do.
        seq: the row that is at fault, where one can be named.
        hint: the command that helps, where the message ends with one.
    """

    is_resumable = False

    def __init__(self, message: str, *, seq: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.seq = seq


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Return the known names that may be meant by an unknown one: two at most."""
    return difflib.get_close_matches(word, sorted(known), n=2, cutoff=0.6)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a clause that ends a message about an unknown name: the nearest known ones, else all of them."""
    names = sorted(known)
    near = nearest(word, names)
    if near:
        return f"did you mean {' or '.join(repr(name) for name in near)}?"
    return f"known: {', '.join(names)}" if names else "there is none"
