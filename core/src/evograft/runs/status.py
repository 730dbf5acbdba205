"""How a run stands, folded from its log; whoever is writing to it."""

from __future__ import annotations

import os
import re
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evograft.log.history import Commit, RunHistory, operator_of
from evograft.log.journal import Journal
from evograft.runs.environment_reports import read_reports
from evograft.runs.folder import last_written
from evograft.runs.index import open_run
from evograft.runs.lock_file import LOCK_FILE, RunFolder
from evograft.runs.mailbox import InFlightTrial, Snapshot, snapshot_of
from evograft.runs.reader import reading_run
from evograft.runs.writer_lock import writer_of

RATE_OVER = 100
"""The rate is that of the newest trials."""


@dataclass
class Approach:
    """What an operator, or a model, has achieved."""

    operator: str = ""
    """Empty: whichever."""
    model: str = ""
    """The model that was called; empty in the row of an operator: whichever, or none."""
    trials: int = 0
    ok: int = 0
    improved: int = 0
    """Trials that scored higher than all before."""
    best: float | None = None

    def add(self, score: float | None, *, improved: bool) -> None:
        """Count a trial."""
        self.trials += 1
        self.ok += score is not None
        self.improved += improved
        if score is not None and (self.best is None or score > self.best):
            self.best = score


@dataclass(frozen=True)
class RunStatus:
    """How a run stands at a moment."""

    run: str
    id: str
    folder: str
    writer: int | None
    """The process that works on it now."""
    state: str
    """`running`, `complete`, why it stopped, or `not running`."""
    trials: int
    limit: int | None
    generation: int
    best_score: float | None
    best_trial: int | None
    judged: bool
    """Whether the best candidate was judged after the search."""
    rejected: int
    duplicates: int
    repaired: int
    """Trials whose rejected candidate was repaired."""
    running: tuple[InFlightTrial, ...]
    """The trials in flight a moment ago."""
    approaches: tuple[Approach, ...]
    """By operator."""
    models: tuple[Approach, ...]
    """By the model that was called, with a row of no name for trials that called none; empty where that is all."""
    failures: dict[str, int]
    """How often each kind of reason came up, by the first reason of the kind: kinds differ in more than numbers."""
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None
    """`None`: a price is unknown."""
    elapsed: float
    """Wall seconds over all sessions."""
    rate: float | None
    """Trials a second, of late."""
    remaining: float | None
    """Seconds that the rest of the budget will take at this rate, as far as it can be said."""
    stop: Mapping[str, Any]
    """What stopped it, for programs: the `cause`, and the `facts` of the control; empty when it went on after that."""
    last_stop: str
    """Why it stopped; empty when it went on after that."""
    written_at: float
    """Unix time at which its folder was last written to."""
    environment: dict[str, Any]
    """What plugins reported of the environment at the newest start: `status`, `done`, `errors` and `facts` of each."""

    def to_data(self) -> dict[str, Any]:
        """Return the status for JSON."""
        return asdict(self)


class Watcher:
    """Follows the log of a run: each look reads what is new."""

    def __init__(self, run: RunFolder, journal: Journal, *, inside: bool = False) -> None:
        self._run = run
        self._inside = inside
        self._settings_of = _stamp(run)
        self._history = RunHistory(journal, run.pipeline)
        self._results = _Results()

    def look(self) -> RunStatus:
        """Return how the run stands now."""
        for commit in self._history.read_on():
            self._results.add(commit)
        self._read_settings()
        # A process that opens and closes the file of its own lock lets go of the lock.
        writer = os.getpid() if self._inside else writer_of(self._run.path)
        snapshot = Snapshot() if self._inside or writer is None else snapshot_of(self._run.path)
        results = self._results
        if waiting := tuple(self._history.waiting()):
            results = deepcopy(results)
            for commit in waiting:
                results.add(commit)
        return _status(self._run, self._history, results, writer, snapshot)

    def _read_settings(self) -> None:
        """Read the lock file once more if a session with other settings has begun."""
        stamp = _stamp(self._run)
        if stamp != self._settings_of:
            self._run, self._settings_of = open_run(self._run.path), stamp
            self._history.settings = self._run.pipeline


def _stamp(run: RunFolder) -> tuple[int, int]:
    found = (run.path / LOCK_FILE).stat()
    return found.st_mtime_ns, found.st_ino


@contextmanager
def watching(folder: Path, *, inside: bool = False) -> Iterator[Watcher]:
    """Open a watcher of the run in a folder.

    Args:
        folder: of the run.
        inside: whether this very process works on it.
    """
    run = open_run(folder)
    with reading_run(run) as journal:
        yield Watcher(run, journal, inside=inside)


def read_status(folder: Path, *, inside: bool = False) -> RunStatus:
    """Return how the run in a folder stands now."""
    with watching(folder, inside=inside) as watcher:
        return watcher.look()


class _Results:
    """What became of trials, by kind."""

    def __init__(self) -> None:
        self.rejected = self.duplicates = self.repaired = 0
        self.evaluations = 0.0
        """What they have cost, in US dollars."""
        self.approaches: dict[str, Approach] = {}
        self.models: dict[str, Approach] = {}
        self._failures: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._recent: deque[float] = deque(maxlen=RATE_OVER)

    def add(self, commit: Commit) -> None:
        trial, evaluation = commit.trial, commit.trial.evaluation
        self.rejected += evaluation.status == "rejected"
        self.duplicates += trial.duplicate_of is not None
        self.repaired += bool(trial.attempts) and evaluation.status == "ok"
        self.evaluations += commit.finished.cost
        self._recent.append(commit.finished.elapsed)
        if evaluation.status in ("rejected", "failed"):
            kind = kind_of_failure(evaluation.reason)
            self._failures[kind] += 1
            self._examples.setdefault(kind, evaluation.reason.partition("\n")[0])
        operator = operator_of(trial)
        self.approaches.setdefault(operator, Approach(operator)).add(trial.score, improved=commit.is_best)
        if trial.selection is not None:
            model = self.models.setdefault(trial.model, Approach(model=trial.model))
            model.add(trial.score, improved=commit.is_best)

    @property
    def failures(self) -> dict[str, int]:
        """Return how often each kind came up, by the first reason of the kind, the most frequent first."""
        return {self._examples[kind]: count for kind, count in self._failures.most_common()}

    @property
    def rate(self) -> float | None:
        """Return the trials a second of the newest ones."""
        span = max(self._recent) - min(self._recent) if len(self._recent) > 1 else 0.0
        return (len(self._recent) - 1) / span if span > 0 else None


def _status(
    run: RunFolder, history: RunHistory, results: _Results, writer: int | None, snapshot: Snapshot
) -> RunStatus:
    elapsed = history.elapsed if snapshot.began is None else max(history.elapsed, time.time() - snapshot.began)
    best, spent = history.best, history.spending.total
    stop = history.stop.text if history.stop else ""
    return RunStatus(
        run=run.name,
        id=run.id,
        folder=str(run.path),
        writer=writer,
        state=state_of(writer, is_complete=history.is_complete, stop=stop),
        trials=history.trials,
        limit=history.limit,
        generation=history.generation,
        best_score=best.score if best else None,
        best_trial=best.number if best else None,
        judged=history.is_best_evaluated,
        rejected=results.rejected,
        duplicates=results.duplicates,
        repaired=results.repaired,
        running=snapshot.in_flight,
        approaches=_most_used(results.approaches.values()),
        models=_most_used(results.models.values()) if any(results.models) else (),
        failures=results.failures,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        dollars=None if spent.unpriced else spent.dollars + results.evaluations,
        elapsed=round(elapsed, 1),
        rate=results.rate,
        remaining=_remaining(history, results.rate, elapsed),
        stop={"cause": history.stop.stop, **history.stop.facts} if history.stop else {},
        last_stop=stop,
        written_at=last_written(run.path),
        environment={name: each.model_dump(mode="json") for name, each in read_reports(run.path).items()},
    )


def _remaining(history: RunHistory, rate: float | None, elapsed: float) -> float | None:
    left, seconds = [], history.settings.budget.seconds
    if history.limit is not None and rate:
        left.append(_time_for(history.limit - history.trials, rate, since=elapsed - history.elapsed))
    if seconds is not None:
        left.append(max(0.0, seconds - elapsed))
    return round(min(left), 1) if left else None


def _most_used(approaches: Iterable[Approach]) -> tuple[Approach, ...]:
    return tuple(sorted(approaches, key=lambda each: -each.trials))


def _time_for(trials: int, rate: float, *, since: float) -> float:
    """Return the seconds that trials will take at a rate, given that the last one ended some seconds ago.

    The next one is under way, so that the time shrinks between two of them; one that is overdue is due any moment.
    """
    return max(0.0, trials / rate - min(since, 1 / rate)) if trials > 0 else 0.0


def state_of(writer: int | None, *, is_complete: bool, stop: str) -> str:
    """Return `running`, `complete`, why a run stopped, or `not running`.

    Args:
        writer: the process that works on it.
        is_complete: whether it has all its trials.
        stop: why it stopped; empty where that is not known, or where it was resumed since.
    """
    if writer is not None:
        return "running"
    return "complete" if is_complete else stop or "not running"


def kind_of_failure(reason: str) -> str:
    """Return a reason without what differs from trial to trial: numbers, quoted names, addresses."""
    plain = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[+-]?\d+)?", "#", reason.partition("\n")[0])
    return re.sub(r"'[^']{1,80}'", "'…'", plain)[:120]
