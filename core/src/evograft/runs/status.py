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

from evograft.log.case_front import CaseFront, CaseFrontTrial
from evograft.log.front import FrontTrial, ParetoFront
from evograft.log.history import Commit, RunHistory, operator_of
from evograft.log.journal import Journal
from evograft.runs.budget_use import BudgetUse, find_binding
from evograft.runs.environment_reports import read_reports
from evograft.runs.index import open_run
from evograft.runs.lock_file import LOCK_FILE, RunFolder, parse_lock_file
from evograft.runs.mailbox import InFlightTrial, Snapshot, read_snapshot
from evograft.runs.reader import reading_run
from evograft.runs.status_notes import StatusNotes
from evograft.runs.storage import open_storage
from evograft_hookspecs.drivers.shared_store import RunStorage, Writer

RATE_OVER = 100
"""The rate is that of the newest trials."""


@dataclass
class Approach:
    """What an operator, a model, or a member of a composed search has achieved."""

    operator: str = ""
    """Empty: whichever."""
    model: str = ""
    """The model that was called; empty in the row of an operator: whichever, or none."""
    member: str = ""
    """The member of a composed search; empty: whichever, or none."""
    trials: int = 0
    ok: int = 0
    improved: int = 0
    """Trials that scored higher than all before."""
    best: float | None = None
    dollars: float | None = 0.0
    """What its trials have cost, evaluations included; `None`: a price is unknown."""
    tokens: int = 0
    """Of prompts and answers for its candidates."""

    def add(self, commit: Commit) -> None:
        """Count a trial."""
        score, dollars = commit.trial.score, commit.dollars
        self.dollars = None if self.dollars is None or dollars is None else self.dollars + dollars
        self.tokens += commit.tokens
        self.trials += 1
        self.ok += score is not None
        self.improved += commit.is_best
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
    host: str
    """The machine of that process; empty: this one, or there is none."""
    state: str
    """`running`, `complete`, why it stopped, or `not running`."""
    trials: int
    limit: int | None
    binding: BudgetUse | None
    """What ends it sooner than `limit` by what is used of each budget; `None`: the trials do, or nothing is counted."""
    generation: int
    best_score: float | None
    best_trial: int | None
    judged: bool
    """Whether the best candidate was judged after the search."""
    final: Mapping[str, Any]
    """What came of that, for the best of now: `score`, `status` and `reason`; empty when there was none."""
    notes: tuple[str, ...]
    """What plugins say about the best trial."""
    rejected: int
    duplicates: int
    repaired: int
    """Trials whose rejected candidate was repaired."""
    running: tuple[InFlightTrial, ...]
    """The trials in flight a moment ago; of many, the first."""
    in_flight: int
    """How many they were."""
    workers: str
    """What people should know of workers that are elsewhere, a moment ago; empty: all is well."""
    approaches: tuple[Approach, ...]
    """By operator."""
    models: tuple[Approach, ...]
    """By the model that was called, with a row of no name for trials that called none; empty where that is all."""
    members: tuple[Approach, ...]
    """By the member of a composed search; empty where there is one search."""
    front: tuple[FrontTrial, ...]
    """The trials that no other one beats in all objectives; empty where there are fewer than two objectives."""
    cases: int
    """How many cases the frontier has that parents come from; 0: they come from none."""
    case_front: tuple[CaseFrontTrial, ...]
    """The trials that are the best on some cases, those with most cases first; empty where parents come from no
    frontier of cases."""
    cells: int
    """Cells of an archive that are filled, as the newest trial of one saw it; 0: there is no archive."""
    failures: dict[str, int]
    """How often each kind of reason came up, by the first reason of the kind: kinds differ in more than numbers."""
    prompt_tokens: int
    completion_tokens: int
    estimated_tokens: int
    """Those of both that nobody has counted, such as a person's."""
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
    """Follows the log of a run: each look reads what is new.

    Args:
        run: as its settings were a moment ago.
        journal: its log, open for a reader.
        storage: what else belongs to it.
        inside: whether this very process works on it.
    """

    def __init__(self, run: RunFolder, journal: Journal, storage: RunStorage, *, inside: bool = False) -> None:
        self._run = run
        self._storage = storage
        self._inside = inside
        self._settings = storage.read_document(LOCK_FILE)
        self._history = RunHistory(journal, run.pipeline)
        self._results = _Results()
        self._notes = StatusNotes(plugin.name for plugin in run.pipeline.plugins)

    def look(self) -> RunStatus:
        """Return how the run stands now."""
        # Asked first: what the log says after nobody works on the run is how it ended.
        # A process that opens and closes the file of its own lock lets go of the lock.
        writer = Writer(process=os.getpid()) if self._inside else self._storage.writer()
        for commit in self._history.read_on():
            self._results.add(commit)
        self._read_settings()
        snapshot = Snapshot() if self._inside or writer is None else read_snapshot(writer.note)
        results = self._results
        if waiting := tuple(self._history.waiting()):
            results = deepcopy(results)
            for commit in waiting:
                results.add(commit)
        notes = self._notes.find(self._history.best)
        return _status(self._run, self._storage, self._history, results, notes, writer, snapshot)

    def wait(self, seconds: float) -> None:
        """Return as soon as another look is worth while, at the latest after some seconds."""
        self._storage.wait(seconds)

    def _read_settings(self) -> None:
        """Parse the lock file once more if a session with other settings has begun."""
        settings = self._storage.read_document(LOCK_FILE)
        if settings is not None and settings != self._settings:
            self._run, self._settings = parse_lock_file(self._run.path, settings), settings
            self._history.settings = self._run.pipeline


@contextmanager
def watching(folder: Path, *, inside: bool = False) -> Iterator[Watcher]:
    """Open a watcher of the run in a folder.

    Args:
        folder: of the run.
        inside: whether this very process works on it.
    """
    run = open_run(folder)
    with reading_run(run) as journal, open_storage(folder) as storage:
        yield Watcher(run, journal, storage, inside=inside)


def read_status(folder: Path, *, inside: bool = False) -> RunStatus:
    """Return how the run in a folder stands now."""
    with watching(folder, inside=inside) as watcher:
        return watcher.look()


class _Results:
    """What became of trials, by kind."""

    def __init__(self) -> None:
        self.rejected = self.duplicates = self.repaired = 0
        self.approaches: dict[str, Approach] = {}
        self.models: dict[str, Approach] = {}
        self.members: dict[str, Approach] = {}
        self.front = ParetoFront()
        self.case_front = CaseFront()
        self.cells = 0
        self._failures: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._recent: deque[float] = deque(maxlen=RATE_OVER)

    def add(self, commit: Commit) -> None:
        trial, evaluation = commit.trial, commit.trial.evaluation
        self.rejected += evaluation.status == "rejected"
        self.duplicates += trial.duplicate_of is not None
        self.repaired += bool(trial.attempts) and evaluation.status == "ok"
        self._recent.append(commit.finished.elapsed)
        self.front.add(trial)
        self.case_front.add(trial)
        if evaluation.status in ("rejected", "failed"):
            kind = kind_of_failure(evaluation.reason)
            self._failures[kind] += 1
            self._examples.setdefault(kind, evaluation.reason.partition("\n")[0])
        operator = operator_of(trial)
        rows = [self.approaches.setdefault(operator, Approach(operator))]
        if trial.selection is not None:
            rows.append(self.models.setdefault(trial.model, Approach(model=trial.model)))
            self.cells = trial.selection.cells or self.cells
            if member := trial.selection.member:
                rows.append(self.members.setdefault(member, Approach(member=member)))
        for row in rows:
            row.add(commit)

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
    run: RunFolder,
    storage: RunStorage,
    history: RunHistory,
    results: _Results,
    notes: tuple[str, ...],
    writer: Writer | None,
    snapshot: Snapshot,
) -> RunStatus:
    elapsed = history.elapsed if snapshot.began is None else max(history.elapsed, time.time() - snapshot.began)
    process = writer.process if writer else None
    best, spent = history.best, history.spending.total
    stop = history.stop.text if history.stop else ""
    return RunStatus(
        run=run.name,
        id=run.id,
        folder=str(run.path),
        writer=process,
        host=writer.host if writer else "",
        state=state_of(process, is_complete=history.is_complete, stop=stop),
        trials=history.trials,
        limit=history.limit,
        binding=find_binding(history, elapsed),
        generation=history.generation,
        best_score=best.score if best else None,
        best_trial=best.number if best else None,
        judged=history.is_best_evaluated,
        final=_final(history),
        notes=notes,
        rejected=results.rejected,
        duplicates=results.duplicates,
        repaired=results.repaired,
        running=snapshot.in_flight,
        in_flight=snapshot.count,
        workers=snapshot.workers,
        approaches=_most_used(results.approaches.values()),
        models=_most_used(results.models.values()) if any(results.models) else (),
        members=_most_used(results.members.values()),
        front=results.front.trials,
        cases=len(results.case_front.cases),
        case_front=results.case_front.trials,
        cells=results.cells,
        failures=results.failures,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        estimated_tokens=spent.estimated_tokens,
        dollars=history.spending.dollars,
        elapsed=round(elapsed, 1),
        rate=results.rate,
        remaining=_remaining(history, results.rate, elapsed),
        stop={"cause": history.stop.stop, **history.stop.facts} if history.stop else {},
        last_stop=stop,
        written_at=storage.last_written(),
        environment={name: each.model_dump(mode="json") for name, each in read_reports(storage).items()},
    )


def _final(history: RunHistory) -> dict[str, Any]:
    """Return the final evaluation, if it is that of the best trial."""
    if history.final_evaluation is None or not history.is_best_evaluated:
        return {}
    return history.final_evaluation.evaluation.model_dump(include={"score", "status", "reason"})


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
