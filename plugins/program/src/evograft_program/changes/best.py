"""The trial whose candidate is put into the user's files."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from evograft.api import Pipeline, RunHistory, UserError, open_journal
from evograft_hookspecs import Trial

START = 0
"""The number of the start program's trial, where there is one."""


@dataclass(frozen=True)
class ChosenTrial:
    """A trial, and the score that the start program had."""

    trial: Trial
    start_score: float | None

    @property
    def files(self) -> dict[str, str]:
        assert self.trial.candidate is not None, "a trial with a score has a candidate"
        return dict(self.trial.candidate.files)

    @property
    def is_start(self) -> bool:
        """Return whether its candidate is the start program itself."""
        return self.trial.selection is None


def choose_trial(folder: Path, pipeline: Pipeline, number: int | None) -> ChosenTrial:
    """Return a trial of a run.

    Args:
        folder: of the run, which may be live.
        pipeline: its settings.
        number: of the trial; `None`: the best one.

    Raises:
        UserError: there is no such trial, or it has no candidate with a score.
    """
    with open_journal(folder) as journal:
        best = RunHistory.follow(journal, pipeline).best
        finished = journal.finished_trials()
        found = best if number is None else journal.trial(number) if number in finished else None
        first = journal.trial(START) if START in finished else None
    start = first.score if first is not None and first.selection is None else None
    if found is None or found.candidate is None or found.score is None:
        which = "no such trial" if number not in finished else f"no score in trial {number}"
        lacking = "no score yet" if number is None else which
        raise UserError(f"{lacking} in this run: see evo status {shlex.quote(str(folder))}")
    return ChosenTrial(found, start)
