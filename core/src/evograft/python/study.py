"""Studies: programs are proposed by `ask`, and their scores are told by the caller."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from evograft.config.user_settings import load_settings
from evograft.drivers.executor.caller import OpenTask
from evograft.errors import UserError
from evograft.python.prepared_run import EvolutionPlanner, PreparedRun
from evograft.python.run import BestProgram, Run
from evograft.python.study_session import StudyEnded, StudySession
from evograft.runs.index import find_run, open_run
from evograft.runs.lock_file import RunFolder
from evograft.session.resolved_run import ResolvedRun
from evograft.session.start import create_run_with_files
from evograft_hookspecs import Evaluation, FrozenDict


@dataclass(frozen=True)
class StudyTrial:
    """A candidate whose score is wanted."""

    number: int
    files: FrozenDict[str, str]

    @property
    def source(self) -> str:
        """Return the program's text."""
        return "\n".join(self.files.values())


class Study:
    """A run whose candidates the caller evaluates. It is not thread-safe: one thread asks and tells.

    Args:
        run: its folder.
        resolved: its settings with drivers and plugins.
        planner: the plugin that reads answers.
    """

    def __init__(self, run: RunFolder, resolved: ResolvedRun, planner: EvolutionPlanner) -> None:
        self._pipeline = run.pipeline
        self._planner = planner
        self._open: dict[int, OpenTask] = {}
        self._session = StudySession(run, resolved)
        self.run = Run(run.path)
        """The run, to look at."""
        atexit.register(self.close)

    def ask(self) -> StudyTrial:
        """Return the next candidate, once a model, or whatever makes it, has made it.

        Raises:
            TrialsOpen: trials that are open have to be told first.
            StudyEnded: the budget is spent, or the study was closed.
            EvograftError: what has ended the study.
        """
        return self._to_trial(self._session.take())

    def ask_all(self) -> list[StudyTrial]:
        """Return all candidates that do not wait for scores of others, for evaluation side by side: at least one.

        Raises:
            TrialsOpen: trials that are open have to be told first.
            StudyEnded: the budget is spent, or the study was closed.
            EvograftError: what has ended the study.
        """
        trials = [self.ask()]
        while (task := self._session.take_ready()) is not None:
            trials.append(self._to_trial(task))
        return trials

    def tell(self, trial: StudyTrial | int, answer: object) -> None:
        """Say how good a candidate is.

        Args:
            trial: the trial, or its number.
            answer: a number, or a mapping of metrics with `combined_score`, as evaluators return them.
        """
        self._settle(trial, self._planner.read_answer(self._pipeline, answer))

    def fail(self, trial: StudyTrial | int, reason: str) -> None:
        """Say that a candidate is worth nothing, and why: models read it."""
        self._settle(trial, Evaluation.rejected(reason))

    @property
    def open_trials(self) -> list[StudyTrial]:
        """Return the trials that were asked for and not told yet, in the order of their numbers."""
        return [StudyTrial(number, self._open[number].task.candidate.files) for number in sorted(self._open)]

    @property
    def best(self) -> BestProgram:
        """Return the best candidate so far; it raises UserError as long as there is none."""
        return self.run.best

    @property
    def folder(self) -> Path:
        return self.run.folder

    def close(self) -> None:
        """End the session; the study can be continued with `evograft.study(resume=…)`."""
        atexit.unregister(self.close)
        self._session.close()

    def __iter__(self) -> Iterator[StudyTrial]:
        """Ask again and again, until the run's budget is spent."""
        while True:
            try:
                trial = self.ask()
            except StudyEnded:
                return
            yield trial

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<study in {self.folder}: {self.run.status.trials} trials, {len(self._open)} open>"

    def _to_trial(self, task: OpenTask) -> StudyTrial:
        number = task.task.ctx.trial
        assert number is not None, "only seeds and proposals are evaluated"
        self._open[number] = task
        return StudyTrial(number, task.task.candidate.files)

    def _settle(self, trial: StudyTrial | int, evaluation: Evaluation) -> None:
        number = trial if isinstance(trial, int) else trial.number
        if number not in self._open:
            raise UserError(f"trial {number} is not open: it was told already, or never asked for")
        self._session.settle(self._open[number], evaluation)
        del self._open[number]


def start_study(planned: PreparedRun, folder: Path | None, planner: EvolutionPlanner) -> Study:
    """Make the run of a study, and begin with it."""
    runs = Path(load_settings().runs_dir)
    new = create_run_with_files(planned.pipeline, planned.attach, runs=runs, folder=folder)
    return Study(new.folder, new.resolved, planner)


def resume_study(run: str | Path, planner: EvolutionPlanner) -> Study:
    """Continue the study of a run."""
    folder = open_run(find_run(str(run), runs=Path(load_settings().runs_dir), guessing=False))
    return Study(folder, ResolvedRun.build(folder.pipeline), planner)
