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

from evograft.budget import Meter
from evograft.config import Pipeline
from evograft.draw import draw
from evograft.errors import EvograftError, PluginError, ServiceError
from evograft.flights import Flight, Flights
from evograft.hooks import Hooks
from evograft.journal import Finished, Journal, Judged, Record
from evograft.population import Population
from evograft.schedule import Schedule
from evograft.scope import Scope
from evograft_hookspecs import (
    Advice,
    Candidate,
    CommittedEvent,
    Control,
    ControlApplied,
    EvalTask,
    Evaluator,
    Event,
    FinalJudged,
    FrozenDict,
    Limits,
    ObserverFailed,
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
"""Seconds that trials in flight have to finish after an interruption."""


TOLD_AT_ONCE = 1000
"""How many trials are told to `select` at once while a log is walked through."""

Committed = ProblemAnalyzed | TrialCommitted | ControlApplied | FinalJudged


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


class Kernel:
    """One session of a run, from the log as it is to a stop."""

    def __init__(self, plan: Plan, hooks: Hooks, journal: Journal, executor: Executor, scope: Scope) -> None:
        pipeline = plan.pipeline
        self._plan = plan
        self._hooks = hooks
        self._journal = journal
        self._executor = executor
        self._scope = scope
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
        self._postponed: list[Flight] | None = []
        """While the log is walked through: the flights to launch at its end."""
        self._told: list[Trial] = []
        self._instructions: list[tuple[int, Advice]] = []
        self._committed_events = 0
        self._stop: str | None = None
        self._outcome: Literal["complete", "interrupted", "failed"] = "failed"
        self._interrupted = False
        self._give_up_at = float("inf")
        self._judged: Judged | None = None

    # -- a session, from top to bottom --------------------------------------------------------------------------------

    def run(self) -> RunEnded:
        """Searches until a stop, judges the best candidate, and leaves a run that can be resumed.

        Raises:
            PluginError: a plugin failed for good; its trial is uncommitted, the run resumable.
            ServiceError: something outside failed; likewise.
        """
        try:
            self._setup_env()
            records = self._journal.records()
            self._analyze(records)
            self._replay(records)
            self._search()
            if not self._interrupted:
                self._judge_best()
            self._outcome = "interrupted" if self._interrupted else "complete"
        except EvograftError as err:
            self._stop = str(err)
            raise
        finally:
            self._flights.close(abandon=self._outcome != "complete")
            ended = self._end()
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
        next(records)  # the header, which whoever opened the run has read
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
        self._open_trials()
        for record in records:
            if isinstance(record, Finished):
                self._commit(record, replayed=True)
            elif isinstance(record, Control):
                self._apply(record, replayed=True)
            elif isinstance(record, Judged):
                self._judged = record
                self._commit_event(FinalJudged, replayed=True, trial=record.trial, evaluation=record.evaluation)
        flights, self._postponed = self._postponed or [], None
        if self._plan.changes:
            self._control("settings", self._plan.changes)
        self._stop = self._meter.stop_reason(self._population)
        for flight in flights if self._stop is None else ():
            self._flights.launch(flight)

    def _search(self) -> None:
        while self._flights.under_way and time.monotonic() < self._give_up_at:
            if not self._flights.step(timeout=0.5):
                self._stop_if_due()

    def _judge_best(self) -> None:
        """Evaluates the best candidate once more on data that no choice has depended on."""
        best = self._population.best
        if best is None or best.candidate is None:
            return
        if self._judged and (self._judged.trial, self._judged.commits) == (best.number, self._population.commits):
            return
        limits = Limits(wall_seconds=self._plan.pipeline.deadlines.final)
        ctx = self._scope.at(best.number).eval_context(limits=limits, final=True)
        task = EvalTask(ctx=ctx, candidate=best.candidate)
        evaluation = self._executor.submit(task).result().without_spending()
        self._journal.write_judgement(Judged(best.number, self._population.commits, evaluation))
        self._commit_event(FinalJudged, trial=best.number, evaluation=evaluation)

    # -- one trial ----------------------------------------------------------------------------------------------------

    def _open_trials(self) -> None:
        while self._stop is None and (number := self._open_next()) is not None:
            if number in self._logged:
                continue
            flight = Flight(number, self._schedule.view, self._scope.at(number))
            if number < len(self._problem.seeds):
                self._plant(flight)
            else:
                selection = self._select(flight)
                self._propose(flight, selection)
            if self._postponed is None:
                self._flights.launch(flight)
            else:
                self._postponed.append(flight)

    def _open_next(self) -> int | None:
        number = self._schedule.opened
        if self._limit is None or number < self._limit or number in self._logged:
            return self._schedule.open()
        return None

    def _plant(self, flight: Flight) -> None:
        files = self._problem.seeds[flight.number]
        flight.candidate = Candidate(kind=self._problem.kind, files=files, operator="kernel.seed", trial=flight.number)

    def _select(self, flight: Flight) -> Selection:
        told, self._told = tuple(self._told), []
        selection = self._hooks.select(flight.scope, told)
        bar = () if selection.bar is None else (selection.bar,)
        for number in (*selection.parents, *bar):
            if not self._population.has(number):
                raise PluginError(
                    f"hook select: chose trial {number} for trial {flight.number}, but it is not committed"
                )
        flight.selection = selection
        flight.parents = tuple(map(self._population.trial, selection.parents))
        flight.bar = self._population.trial(bar[0]).evaluation if bar else None
        return selection

    def _propose(self, flight: Flight, selection: Selection) -> None:
        proposals, advice = self._hooks.propose(flight.scope, selection)
        instructions = tuple(advice for first, advice in self._instructions if first <= flight.number)
        drawn = draw(proposals, self._weights(flight.number), seed=flight.scope.seed("draw", "kernel"))
        flight.proposal = drawn.model_copy(update={"advice": instructions + advice})

    def _weights(self, number: int) -> FrozenDict[str, float]:
        starts = [first for first, _ in self._plan.weights]
        return self._plan.weights[bisect_right(starts, number) - 1][1]

    def _find_duplicate(self, flight: Flight) -> Trial | None:
        assert flight.candidate is not None
        earlier = self._population.find_duplicate(flight.candidate.id, view=flight.view)
        return None if earlier is None else self._population.trial(earlier)

    def _landed(self, flight: Flight) -> None:
        self._commit(self._journal.write_trial(flight.to_trial(), elapsed=self._meter.elapsed), replayed=False)

    def _commit(self, finished: Finished, *, replayed: bool) -> None:
        """Commits whatever the finished trial makes ready, and opens what each commit completes the view of."""
        self._meter.add(finished, replayed=replayed)
        for trial in self._schedule.finish(finished.trial):
            self._population.commit(trial)
            self._tell(trial, replayed=replayed)
            self._commit_event(TrialCommitted, replayed=replayed, trial=trial)
            if not replayed:
                self._stop_if_due()
            self._open_trials()

    def _tell(self, trial: Trial, *, replayed: bool) -> None:
        self._told.append(trial)
        if replayed and len(self._told) >= TOLD_AT_ONCE:
            # A long log need not wait in memory for the next selection; this one's answer is not wanted.
            told, self._told = tuple(self._told), []
            self._hooks.select(self._scope.at(self._schedule.opened), told)

    # -- stops and instructions ---------------------------------------------------------------------------------------

    def _stop_if_due(self) -> None:
        reason = None if self._stop else self._meter.stop_reason(self._population)
        if reason is not None:
            self._control("stop", reason)

    def _interrupt(self, reason: str) -> None:
        self._interrupted = True
        self._give_up_at = min(self._give_up_at, time.monotonic() + GRACE)
        if self._stop is None:
            self._control("stop", reason)

    def _control(self, kind: Literal["tell", "stop", "settings"], text: str) -> None:
        control = Control(kind=kind, first_trial=self._schedule.opened, text=text)
        self._journal.write_control(control, key=str(self._committed_events))
        self._apply(control, replayed=False)

    def _apply(self, control: Control, *, replayed: bool) -> None:
        if control.kind == "tell":
            advice = Advice(id=f"tell-{self._committed_events}", text=control.text)
            self._instructions.append((control.first_trial, advice))
        elif control.kind == "stop" and not replayed:
            self._stop = control.text
        self._commit_event(ControlApplied, replayed=replayed, control=control)

    # -- events -------------------------------------------------------------------------------------------------------

    def _announce_start(self) -> None:
        started = RunStarted(
            run=self._plan.run,
            folder=self._plan.folder,
            resumed_at=len(self._logged) or None,
            pipeline=self._plan.pipeline.to_data(),
            environment=self._scope.environment,
        )
        self._announce(started)

    def _commit_event(self, kind: type[Committed], *, replayed: bool = False, **content: Any) -> None:
        event = kind(seq=self._committed_events, replayed=replayed, **content)
        self._committed_events += 1
        self._announce(event)

    def _announce(self, event: Event) -> None:
        trial = event.trial.number if isinstance(event, TrialCommitted) else None
        occurrence = event.seq if isinstance(event, CommittedEvent) else 0
        for failure in self._hooks.observe(self._scope.at(trial, occurrence=occurrence), event):
            self._announce(ObserverFailed(reason=str(failure)))

    def _end(self) -> RunEnded:
        ended = RunEnded(
            outcome=self._outcome,
            reason=self._stop or "all trials are done",
            commits=self._population.commits,
            best=self._population.best,
        )
        self._announce(ended)
        return ended
