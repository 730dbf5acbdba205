"""The evolution itself: analyze once; then select, propose, mutate, evaluate and commit, over a window of trials.

All state is a fold over the log. A resumed run walks through its log by the very steps that wrote it, commit by commit,
and starts just those trials whose results the log lacks, each seeing what it saw the first time.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from evograft.asides import Asides
from evograft.budget import Meter
from evograft.config import Pipeline
from evograft.draw import draw
from evograft.errors import EvograftError, ServiceError
from evograft.events import Committed, Events
from evograft.flights import Flight, Flights
from evograft.hooks import Hooks
from evograft.journal import Finished, Journal, Judged, Record
from evograft.population import Population
from evograft.schedule import Schedule
from evograft.scope import Scope
from evograft_hookspecs import (
    Candidate,
    Control,
    ControlApplied,
    Evaluator,
    Event,
    FinalJudged,
    FrozenDict,
    Problem,
    ProblemAnalyzed,
    RunEnded,
    RunStarted,
    Selection,
    Trial,
    TrialCommitted,
    WorkerFailed,
)
from evograft_hookspecs.ports import Executor

GRACE = 10.0
"""Seconds that trials in flight have to finish after an interruption or a failure."""

TOLD_AT_ONCE = 1000
"""How many trials are told to `select` at once while a log is walked through."""


@dataclass(frozen=True)
class Plan:
    """What a kernel is to run, resolved."""

    run: str
    folder: str
    pipeline: Pipeline
    windows: tuple[tuple[int, int], ...]
    """Pairs (first trial, window), ascending."""
    weights: tuple[tuple[int, FrozenDict[str, float]], ...]
    """Pairs (first trial, operator weights), ascending."""
    remote: Callable[[], Evaluator]
    """Builds the plugins of a worker process; picklable."""
    changes: str = ""
    """The settings that were changed for this session, as YAML."""
    notes: tuple[str, ...] = ()
    """What the user should know about this start."""


class Kernel:
    """One session of a run, from the log as it is to a stop."""

    def __init__(self, plan: Plan, hooks: Hooks, journal: Journal, executor: Executor, scope: Scope) -> None:
        pipeline = plan.pipeline
        self._plan = plan
        self._hooks = hooks
        self._journal = journal
        self._executor = executor
        self._scope = scope
        self._events = Events(hooks)
        self._asides = Asides(journal)
        self._population = Population(journal)
        self._meter = Meter(pipeline.budget, generation_size=pipeline.generation_size)
        self._flights = Flights(
            hooks,
            executor,
            window=max(window for _, window in plan.windows),
            deadlines=pipeline.deadlines,
            find_duplicate=self._find_duplicate,
            landed=self._landed,
            worker_lost=lambda flight, reason: self._announce(WorkerFailed(trial=flight.number, reason=reason)),
        )
        self._logged = journal.finished_trials()
        self._last_logged = max(self._logged, default=-1)
        self._replaying = True
        self._postponed: list[Flight] = []
        """Opened while the log is walked through; launched at its end."""
        self._told: list[Trial] = []
        self._stop: str | None = None
        self._interrupted = False
        self._give_up_at = float("inf")

    # -- a session, from top to bottom --------------------------------------------------------------------------------

    def run(self) -> RunEnded:
        """Searches until a stop, judges the best candidate, and leaves a run that can be resumed.

        Raises:
            PluginError: a plugin failed for good; its trial is uncommitted, the run resumable.
            ServiceError: something outside failed; likewise.
        """
        outcome: Literal["complete", "interrupted", "failed"] = "failed"
        try:
            self._setup_env()
            records = self._journal.records()
            self._analyze(records)
            self._replay(records)
            self._search()
            self._judge_best()
            outcome = "interrupted" if self._interrupted else "complete"
        except EvograftError as err:
            self._stop = str(err)
            self._save_what_is_finished()
            raise
        finally:
            self._flights.close(abandon=outcome != "complete")
            ended = self._end(outcome)
        return ended

    def stop(self, reason: str) -> None:
        """Opens no further trial and gives those in flight a moment. Callable from any thread and signal handlers."""
        self._flights.call_soon(partial(self._interrupt, reason))

    def tell(self, text: str) -> None:
        """Offers an instruction as advice to every trial that is not open yet. Callable from any thread."""
        self._flights.call_soon(partial(self._control, "tell", text))

    def _setup_env(self) -> None:
        reports = self._hooks.setup_env(self._scope)
        for plugin, report in reports.items():
            if report.status == "failed":
                reasons = "; ".join(report.errors) or "it gave no reason"
                raise ServiceError(f"plugin {plugin!r} cannot work here: {reasons}")
        self._scope = self._scope.knowing(environment=FrozenDict(reports))
        self._executor.start(self._hooks.evaluate, self._plan.remote)

    def _analyze(self, records: Iterator[Record]) -> None:
        next(records)  # the header, which whoever opened the run has compared with the lock file
        problem, replayed = next(records, None), True
        if not isinstance(problem, Problem):
            problem, replayed = self._hooks.analyze(self._scope), False
            self._journal.write_problem(problem)
        self._scope = self._scope.knowing(problem=problem)
        self._problem = problem
        seeds = len(problem.seeds)
        self._schedule = Schedule(self._plan.pipeline.commit_order, seeds=seeds, windows=self._plan.windows)
        self._limit = self._meter.trial_limit(seeds)
        self._announce_start()
        self._commit_event(ProblemAnalyzed, replayed=replayed, problem=problem)

    def _replay(self, records: Iterator[Record]) -> None:
        self._tell_asides()
        self._open_trials()
        for record in records:
            if isinstance(record, Finished):
                self._commit(record)
        self._replaying = False
        if self._plan.changes:
            self._control("settings", self._plan.changes, first_trial=self._plan.windows[-1][0])
        for flight in self._postponed:
            self._flights.launch(flight)

    def _search(self) -> None:
        while self._flights.under_way and time.monotonic() < self._give_up_at:
            if not self._flights.step(timeout=0.5):
                self._stop_if_due()

    def _judge_best(self) -> None:
        """Evaluates the best candidate once more on data that no choice has depended on."""
        best, judged = self._population.best.trial, self._asides.judged
        if best is None or best.candidate is None or self._interrupted:
            return
        if judged is None or (judged.trial, judged.commits) != (best.number, self._population.commits):
            scope = self._scope.at(best.number)
            view = self._population.commits
            self._flights.launch(Flight(best.number, view, scope, candidate=best.candidate, final=True))
            self._search()

    def _save_what_is_finished(self) -> None:
        """After a failure: the trials in flight may land, so that nothing that was evaluated is lost."""
        end = time.monotonic() + GRACE
        while self._flights.under_way and time.monotonic() < end:
            try:
                self._flights.step(timeout=0.5)
            except EvograftError:
                continue  # the first failure is the one that is reported

    # -- one trial ----------------------------------------------------------------------------------------------------

    def _open_trials(self) -> None:
        while (number := self._open_next()) is not None:
            if number in self._logged:
                continue
            flight = Flight(number, self._schedule.view, self._scope.at(number))
            if number < len(self._problem.seeds):
                self._plant(flight)
            else:
                selection = self._select(flight)
                self._propose(flight, selection)
            if self._replaying:
                self._postponed.append(flight)
            else:
                self._flights.launch(flight)

    def _open_next(self) -> int | None:
        number = self._schedule.opened
        if number <= self._last_logged:
            opened = self._schedule.open()
            if opened is not None:
                self._stop = None  # whatever stopped it then, the log shows that the run went on
            return opened
        within = self._limit is None or number < self._limit
        return self._schedule.open() if within and self._stop is None else None

    def _plant(self, flight: Flight) -> None:
        files, kind = self._problem.seeds[flight.number], self._problem.kind
        flight.candidate = Candidate(kind=kind, files=files, operator="kernel.seed", trial=flight.number)

    def _select(self, flight: Flight) -> Selection:
        told, self._told = tuple(self._told), []
        selection = self._hooks.select(flight.scope, told, is_told=self._population.has)
        flight.selection = selection
        flight.parents = tuple(map(self._population.trial, selection.parents))
        flight.bar = None if selection.bar is None else self._population.trial(selection.bar).evaluation
        return selection

    def _propose(self, flight: Flight, selection: Selection) -> None:
        proposals, advice = self._hooks.propose(flight.scope, selection)
        instructions = self._asides.advice_for(flight.number)
        drawn = draw(proposals, self._weights(flight.number), seed=flight.scope.seed("draw", "kernel"))
        flight.proposal = drawn.model_copy(update={"advice": instructions + advice})

    def _weights(self, number: int) -> FrozenDict[str, float]:
        starts = [first for first, _ in self._plan.weights]
        return self._plan.weights[bisect_right(starts, number) - 1][1]

    def _find_duplicate(self, flight: Flight) -> Trial | None:
        assert flight.candidate is not None, "there is something to compare"
        earlier = self._population.find_duplicate(flight.candidate.id, view=flight.view)
        return None if earlier is None else self._population.trial(earlier)

    def _landed(self, flight: Flight) -> None:
        if flight.final:
            self._judged(flight)
        else:
            self._commit(self._journal.write_trial(flight.to_trial(), elapsed=self._meter.elapsed))

    def _commit(self, finished: Finished) -> None:
        """Commits whatever the finished trial makes ready, and opens what each commit completes the view of."""
        self._meter.add(finished, replayed=self._replaying)
        for trial in self._schedule.finish(finished.trial):
            self._population.commit(trial)
            self._tell(trial)
            self._commit_event(TrialCommitted, trial=trial)
            self._tell_asides()
            self._stop_if_due()
            self._open_trials()

    def _tell(self, trial: Trial) -> None:
        self._told.append(trial)
        if self._replaying and len(self._told) >= TOLD_AT_ONCE:
            # A long log need not wait in memory for the next selection; this one's answer is not wanted.
            told, self._told = tuple(self._told), []
            self._hooks.select(self._scope.at(self._schedule.opened), told, is_told=self._population.has)

    def _judged(self, flight: Flight) -> None:
        assert flight.evaluation is not None, "it has landed"
        evaluation = flight.evaluation.without_spending()
        self._asides.write_judgement(Judged(flight.number, self._population.commits, evaluation))
        self._commit_event(FinalJudged, trial=flight.number, evaluation=evaluation)

    # -- stops and instructions ---------------------------------------------------------------------------------------

    def _stop_if_due(self) -> None:
        reason = None if self._stop else self._meter.stop_reason(self._population)
        if reason is None:
            return
        if self._replaying:
            self._stop = reason  # its row is in the log, or was lost with the process that would have written it
        else:
            self._control("stop", reason)

    def _interrupt(self, reason: str) -> None:
        self._interrupted = True
        self._give_up_at = min(self._give_up_at, time.monotonic() + GRACE)
        if self._stop is None:
            self._control("stop", reason)

    def _control(self, kind: Literal["tell", "stop", "settings"], text: str, *, first_trial: int | None = None) -> None:
        first = self._schedule.opened if first_trial is None else first_trial
        control = self._asides.write_control(kind, text, first_trial=first, commits=self._population.commits)
        if kind == "stop":
            self._stop = text
        self._commit_event(ControlApplied, control=control)

    def _tell_asides(self) -> None:
        """Tells observers what the log says happened at this commit; nothing, once the log was walked through."""
        for aside in self._asides.logged_at(self._population.commits):
            if isinstance(aside, Control):
                self._commit_event(ControlApplied, control=aside)
            else:
                self._commit_event(FinalJudged, trial=aside.trial, evaluation=aside.evaluation)

    # -- events -------------------------------------------------------------------------------------------------------

    def _announce_start(self) -> None:
        started = RunStarted(
            run=self._plan.run,
            folder=self._plan.folder,
            resumed_at=len(self._logged) or None,
            notes=self._plan.notes,
            pipeline=self._plan.pipeline.to_data(),
            environment=self._scope.environment,
        )
        self._announce(started)

    def _commit_event(self, kind: type[Committed], *, replayed: bool | None = None, **content: Any) -> None:
        again = self._replaying if replayed is None else replayed
        self._events.commit(self._scope, kind, replayed=again, **content)

    def _announce(self, event: Event) -> None:
        self._events.announce(self._scope, event)

    def _end(self, outcome: Literal["complete", "interrupted", "failed"]) -> RunEnded:
        ended = RunEnded(
            outcome=outcome,
            reason=self._stop or "all trials are done",
            commits=self._population.commits,
            best=self._population.best.trial,
        )
        self._announce(ended)
        return ended
