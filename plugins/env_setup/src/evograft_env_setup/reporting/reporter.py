"""The interface of reporters."""

from __future__ import annotations

from typing import Protocol

from evograft_env_setup.reporting.phases import PhaseStatus


class ReportingFailed(Exception):  # noqa: N818 - it names what happened
    """A reporter could not tell anybody; says which one and why, in one line without keys."""


class Reporter(Protocol):
    """A reporter of how a set-up goes."""

    def report(self, status: PhaseStatus, news: str) -> None:
        """Something has changed.

        Args:
            status: how far the work has come.
            news: what is new, in one line that any terminal can take.

        Raises:
            ReportFailed: nobody could be told this time.
        """
