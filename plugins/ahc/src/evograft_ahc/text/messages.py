"""Messages in English and Japanese: each stands where it arises, in both languages, and the command chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, Protocol

from evograft.api import EvograftError, ServiceError, UserError

Language = Literal["en", "ja"]


class ProgressReporter(Protocol):
    """Where progress goes."""

    def __call__(self, en: str, *, ja: str) -> None: ...


def report_nothing(en: str, *, ja: str) -> None:
    """Report nothing, for callers that show no progress."""


class ChoicePrompt(Protocol):
    """Asks the user which of several options is meant; `None`: nobody can be asked."""

    def __call__(self, options: Sequence[str], en: str, *, ja: str) -> str | None: ...


def choose_nothing(options: Sequence[str], en: str, *, ja: str) -> str | None:  # noqa: ARG001 - nobody is asked
    """Choose nothing, for callers with no terminal."""
    return None


class BilingualError(EvograftError):
    """An error in both languages.

    Args:
        en: who, what, and what to do, in one line; what `str` gives.
        ja: the same.
    """

    def __init__(self, en: str, *, ja: str) -> None:
        super().__init__(en)
        self._ja = ja

    def in_language(self, language: Language) -> str:
        return self._ja if language == "ja" else str(self)


@contextmanager
def translate_errors(language: Callable[[], Language]) -> Iterator[None]:
    """Let errors that know several languages leave the block in one.

    Args:
        language: tells which, once there is an error.
    """
    try:
        yield
    except BilingualError as err:
        kind = UserError if isinstance(err, UserError) else ServiceError
        raise kind(err.in_language(language())) from err


class ContestUserError(BilingualError, UserError):
    """What was asked for can't be done as it was asked for."""


class ContestServiceError(BilingualError, ServiceError):
    """Something outside is at fault: the contest site, a toolchain."""
