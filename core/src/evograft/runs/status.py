"""How a run stands, folded from its log; whoever is writing to it."""

from __future__ import annotations

import os
import re
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evograft.llm.ledger import SpendingLedger
from evograft.log.journal import BillableCall, FinalEvaluation, Finished, Header, Journal
from evograft.log.population import Best
from evograft.runs.environment_reports import read_reports
from evograft.runs.folder import LOCK_FILE, RunFolder, last_written, open_run, writer_of
from evograft.runs.mailbox import InFlightTrial, Snapshot, snapshot_of
from evograft.runs.reader import reading_run
from evograft_hookspecs import Control, Problem, Trial

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
    """By the model that was called, with a row of no name for trials that called none; empty where all are of that row."""
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
    last_stop: str
    """Why it stopped; empty when it went on after that."""
    written_at: float
    """Unix time at which its folder was last written to."""
    environment: dict[str, Any]
    """What plugins reported of the environment at the newest start: by plugin, `status`, `done`, `errors` and `facts`."""

    def to_data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class Watcher:
    """Follows the log of a run: each look reads what is new."""

    def __init__(self, run: RunFolder, journal: Journal, *, inside: bool = False) -> None:
        self._run = run
        self._journal = journal
        self._inside = inside
        self._settings_of = _stamp(run)
        self._last = -1
        self._fold = _Fold()

    def look(self) -> RunStatus:
        """How the run stands now."""
        for place, record in self._journal.placed_records(after=self._last):
            self._last = place
            self._fold.add(record)
        self._read_settings()
        # A process that opens and closes the file of its own lock lets go of the lock.
        writer = os.getpid() if self._inside else writer_of(self._run.path)
        snapshot = Snapshot() if self._inside or writer is None else snapshot_of(self._run.path)
        return self._fold.standing(self._run, writer, snapshot)

    def _read_settings(self) -> None:
        """Reads the lock file once more if a session with other settings has begun."""
        stamp = _stamp(self._run)
        if stamp != self._settings_of:
            self._run, self._settings_of = open_run(self._run.path), stamp


def _stamp(run: RunFolder) -> tuple[int, int]:
    found = (run.path / LOCK_FILE).stat()
    return found.st_mtime_ns, found.st_ino


@contextmanager
def watching(folder: Path, *, inside: bool = False) -> Iterator[Watcher]:
    """A watcher of the run in a folder.

    Args:
        folder: of the run.
        inside: whether this very process works on it.
    """
    run = open_run(folder)
    with reading_run(run) as journal:
        yield Watcher(run, journal, inside=inside)


def read_status(folder: Path, *, inside: bool = False) -> RunStatus:
    """How the run in a folder stands now."""
    with watching(folder, inside=inside) as watcher:
        return watcher.look()


class _Fold:
    """What one pass over the log adds up to."""

    def __init__(self) -> None:
        self.trials = self.rejected = self.duplicates = self.repaired = self.seeds = 0
        self.elapsed = 0.0
        self.best = Best()
        self.ledger = SpendingLedger()
        self.failures: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self.approaches: dict[str, Approach] = {}
        self.models: dict[str, Approach] = {}
        self._recent: deque[float] = deque(maxlen=RATE_OVER)
        self._last_trial = -1
        self._stop: Control | None = None
        self._judged: FinalEvaluation | None = None
        self._follows: int | None = None

    def add(self, record: object) -> None:
        if isinstance(record, Finished):
            self._add_trial(record)
        elif isinstance(record, BillableCall):
            self.ledger.add(record)
        elif isinstance(record, Problem):
            self.seeds = len(record.seeds)
        elif isinstance(record, Header) and record.follows is not None:
            self._follows = len(record.follows)
        elif isinstance(record, Control) and record.kind == "stop":
            self._stop = record
        elif isinstance(record, Control) and record.kind == "settings":
            self._stop = None  # it went on after that
        elif isinstance(record, FinalEvaluation):
            self._judged = record

    def _add_trial(self, finished: Finished) -> None:
        trial, evaluation = finished.trial, finished.trial.evaluation
        self.trials += 1
        self.rejected += evaluation.status == "rejected"
        self.duplicates += trial.duplicate_of is not None
        self.repaired += bool(trial.attempts) and evaluation.status == "ok"
        self.elapsed = max(self.elapsed, finished.elapsed)
        self._recent.append(finished.elapsed)
        self.ledger.evaluations += finished.cost
        self.ledger.settle(trial.number)
        self._last_trial = max(self._last_trial, trial.number)
        if evaluation.status in ("rejected", "failed"):
            kind = kind_of_failure(evaluation.reason)
            self.failures[kind] += 1
            self._examples.setdefault(kind, evaluation.reason.partition("\n")[0])
        self._add_approach(trial, improved=self.best.see(trial))

    def _add_approach(self, trial: Trial, *, improved: bool) -> None:
        operator = operator_of(trial)
        self.approaches.setdefault(operator, Approach(operator)).add(trial.score, improved=improved)
        if trial.selection is not None:
            model = self.models.setdefault(trial.model, Approach(model=trial.model))
            model.add(trial.score, improved=improved)

    def standing(self, run: RunFolder, writer: int | None, snapshot: Snapshot) -> RunStatus:
        elapsed = self.elapsed if snapshot.began is None else max(self.elapsed, time.time() - snapshot.began)
        pipeline, total = run.pipeline, self.ledger.total
        limit = pipeline.budget.trial_limit(self.seeds, generation_size=pipeline.generation_size)
        limit = limit if self._follows is None else self._follows
        stop = self._stop.text if self._stop and self._last_trial < self._stop.first_trial else ""
        best = self.best.trial
        return RunStatus(
            run=run.name,
            id=run.id,
            folder=str(run.path),
            writer=writer,
            state=state_of(writer, trials=self.trials, limit=limit, stop=stop),
            trials=self.trials,
            limit=limit,
            generation=max(0, self.trials - self.seeds) // pipeline.generation_size,
            best_score=self.best.score,
            best_trial=best.number if best else None,
            judged=bool(best and self._judged and self._judged.trial == best.number),
            rejected=self.rejected,
            duplicates=self.duplicates,
            repaired=self.repaired,
            running=snapshot.flights,
            approaches=_most_used(self.approaches.values()),
            models=_most_used(self.models.values()) if any(self.models) else (),
            failures={self._examples[kind]: count for kind, count in self.failures.most_common()},
            prompt_tokens=total.prompt_tokens,
            completion_tokens=total.completion_tokens,
            dollars=None if total.unpriced else self.ledger.dollars,
            elapsed=round(elapsed, 1),
            rate=self._rate(),
            remaining=self._remaining(limit, pipeline.budget.seconds, elapsed),
            last_stop=stop,
            written_at=last_written(run.path),
            environment={name: each.model_dump(mode="json") for name, each in read_reports(run.path).items()},
        )

    def _rate(self) -> float | None:
        span = max(self._recent) - min(self._recent) if len(self._recent) > 1 else 0.0
        return (len(self._recent) - 1) / span if span > 0 else None

    def _remaining(self, limit: int | None, seconds: float | None, elapsed: float) -> float | None:
        rate, left = self._rate(), []
        if limit is not None and rate:
            left.append(_time_for(limit - self.trials, rate, since=elapsed - self.elapsed))
        if seconds is not None:
            left.append(max(0.0, seconds - elapsed))
        return round(min(left), 1) if left else None


def _most_used(approaches: Iterable[Approach]) -> tuple[Approach, ...]:
    return tuple(sorted(approaches, key=lambda each: -each.trials))


def _time_for(trials: int, rate: float, *, since: float) -> float:
    """Seconds that trials will take at a rate, given that the last one ended some seconds ago.

    The next one is under way, so that the time shrinks between two of them; one that is overdue is due any moment.
    """
    return max(0.0, trials / rate - min(since, 1 / rate)) if trials > 0 else 0.0


def state_of(writer: int | None, *, trials: int, limit: int | None, stop: str) -> str:
    """Return `running`, `complete`, why a run stopped, or `not running`.

    Args:
        writer: the process that works on it.
        trials: that it has.
        limit: of its trials.
        stop: why it stopped; empty where that is not known, or where it was resumed since.
    """
    if writer is not None:
        return "running"
    if limit is not None and trials >= limit and not stop.startswith("stopped by"):
        return "complete"
    return stop or "not running"


def operator_of(trial: Trial) -> str:
    """Who made a trial's candidate, or was to make it."""
    if trial.proposal is not None:
        return trial.proposal.operator
    return trial.candidate.operator if trial.candidate else "kernel.seed"


def kind_of_failure(reason: str) -> str:
    """A reason without what differs from trial to trial: numbers, quoted names, addresses."""
    plain = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[+-]?\d+)?", "#", reason.partition("\n")[0])
    return re.sub(r"'[^']{1,80}'", "'…'", plain)[:120]
