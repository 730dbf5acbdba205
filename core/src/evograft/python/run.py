"""A run as scripts and notebooks see it: each look reads its log, whoever is writing to it."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evograft.errors import UserError
from evograft.python.report import RunReport, render_report
from evograft.python.trial_rows import read_trials
from evograft.runs.index import open_run
from evograft.runs.mailbox import send_message
from evograft.runs.reader import reading_run
from evograft.runs.status import RunStatus, read_status
from evograft.runs.storage import writer_of
from evograft_hookspecs import FrozenDict

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class BestProgram:
    """The best candidate of a run."""

    trial: int
    score: float
    """Higher is better: minus the metric where less of it is."""
    metrics: FrozenDict[str, float]
    """As the evaluator names them."""
    files: FrozenDict[str, str]

    @property
    def source(self) -> str:
        """Return the text of the only file.

        Raises:
            UserError: there are several.
        """
        if len(self.files) != 1:
            raise UserError(f"the program has {len(self.files)} files: see .files, a mapping from path to text")
        return next(iter(self.files.values()))


class Run:
    """A run in its folder.

    Args:
        folder: of the run, absolute.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._run = open_run(folder)

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def status(self) -> RunStatus:
        """Return how the run stands now: its `state`, `trials`, `best_score`, `dollars`, and what else status shows."""
        return read_status(self.folder)

    @property
    def best(self) -> BestProgram:
        """Return the best candidate so far.

        Raises:
            UserError: no trial has a score.
        """
        from evograft.log.history import RunHistory

        with reading_run(self._run) as journal:
            best = RunHistory.follow(journal, self._run.pipeline).best
        if best is None or best.candidate is None or best.score is None:
            raise UserError(f"no trial of run {self.name} has a score yet: see run.status.failures")
        return BestProgram(best.number, best.score, best.evaluation.metrics, best.candidate.files)

    @property
    def trials(self) -> Any:
        """Return a pandas DataFrame of all trials, or a list of dicts where pandas is not installed."""
        return read_trials(self.folder)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the scores over the trials, and the best so far.

        Args:
            axes: to draw into; `None`: a new figure's.

        Raises:
            UserError: matplotlib is not installed.
        """
        from evograft.python.plot import draw_scores

        return draw_scores(self.folder, axes)

    def report(self) -> RunReport:
        """Return the page of `evo report`, which a notebook shows.

        Raises:
            UserError: evograft-report is not installed.
        """
        return render_report(self.folder)

    def stop(self) -> None:
        """Ask the process that works on the run to stop; what is in flight is finished or given up within seconds."""
        if writer_of(self.folder) is not None:
            send_message(self.folder, "stop", "stopped by run.stop()", by="run.stop()")

    def __repr__(self) -> str:
        status = self.status
        best = "no score yet" if status.best_score is None else f"best {status.best_score:.6g}"
        return f"<run {self.name}: {status.state}, {status.trials} trials, {best}>"

    def _repr_html_(self) -> str:
        status = self.status
        best = "none yet" if status.best_score is None else f"{status.best_score:.6g} (trial {status.best_trial})"
        facts = {"run": self.name, "state": status.state, "trials": status.trials, "best": best, "folder": self.folder}
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>" for name, value in facts.items())
        return f"<table>{rows}</table>"
