"""How a session stands, in the contest's words."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evograft.api import (
    Approach,
    InFlightTrial,
    Journal,
    RunFolder,
    RunStatus,
    Watcher,
    find_waiting,
    open_journal,
    open_run,
    open_storage,
)
from evograft_ahc.recorder import SESSION
from evograft_ahc.records.session_history import AttemptCounts, BestScore, SessionHistory

WRITER = "run.lock"
"""Written when a process begins to work on a session."""
OUTPUT = "output.log"
"""What a run in the background says, in its folder."""
ERROR = "Error: "


@dataclass(frozen=True)
class SessionStatus:
    """At a moment."""

    run_status: RunStatus
    """Of the run."""
    generation: int
    generations: int | None
    """That there may be at most."""
    best: BestScore | None
    """In the contest's own units."""
    total: AttemptCounts
    """All candidates."""
    operators: Mapping[str, AttemptCounts] = field(default_factory=dict)
    """Candidates by who made them."""
    strategies: tuple[AttemptCounts, ...] = ()
    """Candidates that were to follow each strategy."""
    is_analysed: bool = True
    """Whether the problem was thought over, so that trials may follow."""
    error: str = ""
    """What ended it; empty: nothing, or somebody works on it."""
    elapsed: float = 0.0
    """Wall seconds that it was worked on, analysis and all earlier processes included."""
    time_limit: float | None = None
    """That `elapsed` may reach; `None`: there is no such limit."""
    waiting: tuple[str, ...] = ()
    """The names of prompts that a person is to answer."""

    @property
    def time_left(self) -> float | None:
        """Seconds until the time limit."""
        return None if self.time_limit is None else max(0.0, self.time_limit - self.elapsed)

    def to_data(self) -> dict[str, Any]:
        """Return the status as data for JSON."""
        run = self.run_status
        tokens = {
            "prompt": run.prompt_tokens,
            "completion": run.completion_tokens,
            "total": run.prompt_tokens + run.completion_tokens,
        }
        return {
            "session": run.run,
            "session_id": run.id,
            "folder": run.folder,
            "state": run.state,
            "error": self.error or None,
            "current_generation": self.generation,
            "max_generations": self.generations,
            "best_score": self.best.score if self.best else None,
            "best_individual": self.best.individual_id if self.best else None,
            "running": [_running(each) for each in run.running],
            "is_analysed": self.is_analysed,
            "approaches": [self._approach(each) for each in run.approaches],
            "strategies": [_counts(each) for each in self.strategies],
            "tokens": tokens,
            "estimated_cost_usd": run.dollars,
            "elapsed_seconds": self.elapsed,
            "time_limit_seconds": self.time_limit,
            "remaining_seconds": run.remaining,
            "waiting_prompts": list(self.waiting),
            "succeeded": self.total.succeeded,
            "pruned": self.total.pruned,
            "failed": self.total.failed,
            "failures": run.failures,
        }

    def _approach(self, approach: Approach) -> dict[str, Any]:
        known = self.operators.get(approach.operator)
        counts = {} if known is None else {"pruned": known.pruned, "best": known.best_score}
        return {**vars(approach), "best": None, "pruned": 0, **counts}


def _counts(attempts: AttemptCounts) -> dict[str, Any]:
    return {
        "title": attempts.title,
        "trials": attempts.trials,
        "ok": attempts.succeeded,
        "pruned": attempts.pruned,
        "best": attempts.best_score,
    }


def _running(flight: InFlightTrial) -> dict[str, Any]:
    return {
        "operator": flight.operator,
        "model": flight.model,
        "trial": flight.trial,
        "activity": flight.activity,
        "waits_until": flight.waits_until,
        "waits_after": flight.waits_after or None,
    }


class SessionWatcher:
    """Follows the log of a session: each look reads what is new."""

    def __init__(self, run: RunFolder, journal: Journal, watcher: Watcher) -> None:
        self._run = run
        self._watcher = watcher
        self._session_history = SessionHistory(journal, run.pipeline)

    def look(self) -> SessionStatus:
        for _ in self._session_history.read_on():
            pass
        results, run_status = self._session_history.results, self._watcher.look()
        is_analysed, budget = self._session_history.is_analysed, self._run.pipeline.budget
        return SessionStatus(
            run_status=run_status,
            generation=self._session_history.generation,
            generations=budget.generations,
            best=results.history[-1] if results.history else None,
            total=results.all,
            operators=results.operators,
            strategies=tuple(results.strategies.values()),
            is_analysed=is_analysed,
            error=_error_of(self._run.path) if run_status.state == "not running" else "",
            elapsed=run_status.elapsed if is_analysed else self.measure_analysis(run_status),
            time_limit=budget.seconds,
            waiting=tuple(prompt.name for prompt in find_waiting(self._run.path)),
        )

    def measure_analysis(self, run_status: RunStatus) -> float:
        """Return for how long a process has analysed the problem, of which the log says nothing yet."""
        if run_status.writer is None:
            return run_status.elapsed
        try:
            began = (self._run.path / WRITER).stat().st_mtime
        except FileNotFoundError:  # it has just ended
            return run_status.elapsed
        return round(max(run_status.elapsed, time.time() - began), 1)


def _error_of(folder: Path) -> str:
    """Return what ended a session, by its record, else by what the engine said last in the background."""
    try:
        record = json.loads((folder / SESSION).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # it has none yet, or was killed in the middle
        record = {}
    return record.get("error_message") or _last_error(folder / OUTPUT)


def _last_error(output: Path) -> str:
    """Return the error of the engine, which is the last that it says."""
    if not output.exists():
        return ""
    last = output.read_text(encoding="utf-8", errors="replace").rstrip().rpartition("\n")[2]
    return last.removeprefix(ERROR) if last.startswith(ERROR) else ""


@contextmanager
def watch_session(folder: Path) -> Iterator[SessionWatcher]:
    """Watch the session in a folder."""
    run = open_run(folder)
    with open_journal(folder) as journal, open_storage(folder) as storage:
        yield SessionWatcher(run, journal, Watcher(run, journal, storage))
