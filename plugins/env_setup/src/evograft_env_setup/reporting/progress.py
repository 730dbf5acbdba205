"""The progress of a set-up: its phases, told to reporters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evograft.api import did_you_mean
from evograft.text.escapes import sanitize
from evograft_env_setup.reporting.phases import PHASE_DISPLAY_NAMES, Phase, PhaseStatus, State
from evograft_env_setup.reporting.reporter import Reporter, ReportingFailed


class SetupProgress:
    """The progress of a set-up, which reporters are told of. None of them can stop the work.

    Args:
        reporters: each is told of everything, also after it has failed: a server may be back for the last word.
        language: `en` or `ja`, of the comment about a set-up that has failed.
    """

    def __init__(self, reporters: Iterable[Reporter] = (), *, language: str = "en") -> None:
        self._reporters = tuple(reporters)
        self.language = language
        self._failed: set[int] = set()
        self.status = PhaseStatus()

    def set_active_phase(self, phase: Phase) -> None:
        """Begin a phase; the one before ends, completed or not."""
        before = self.status.active
        if before is not None and before != phase:
            self._set(before, "pending")
        self._set(phase, "active")
        self._tell(PHASE_DISPLAY_NAMES[phase])

    def mark_phase_completed(self, phase: Phase) -> None:
        self._set(phase, "completed")
        self._tell(f"{PHASE_DISPLAY_NAMES[phase]}: completed")

    def say(self, line: str) -> None:
        """Tell what is done at the moment."""
        self._tell(_one_line(line))

    def warn(self, *lines: str) -> None:
        """Tell what the user should know at the end, too."""
        told_lines = tuple(map(_one_line, lines))
        # All of them before the first is told: who reports to a server has one change to report.
        self._change(warnings=(*self.status.warnings, *told_lines))
        for line in told_lines:
            self._tell(f"warning: {line}")

    def post(self, comment: str) -> None:
        """Tell what could not be set up, as Markdown."""
        self._change(comment=comment)
        self._tell(f"{PHASE_DISPLAY_NAMES['environment_setup']}: failed, going on with a warning")

    def _set(self, phase: Phase, state: State) -> None:
        if phase not in self.status.phases:
            raise ValueError(f"unknown phase {phase!r}; {did_you_mean(phase, PHASE_DISPLAY_NAMES)}")
        self._change(phases={**self.status.phases, phase: state})

    def _change(self, **values: Any) -> None:
        self.status = PhaseStatus.model_validate({**dict(self.status), **values})

    def _tell(self, news: str) -> None:
        broken = [(place, err) for place in range(len(self._reporters)) if (err := self._failure(place, news))]
        first = [(place, err) for place, err in broken if place not in self._failed]
        self._failed.update(place for place, _ in first)
        for _, err in first:
            self.warn(str(err))

    def _failure(self, place: int, news: str) -> ReportingFailed | None:
        try:
            self._reporters[place].report(self.status, news)
        except ReportingFailed as err:
            return err
        return None


def _one_line(text: str) -> str:
    return sanitize(" ".join(text.split()))
