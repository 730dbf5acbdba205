"""The evolution itself: analyze once; then select, propose, mutate, evaluate and commit, over a window of trials.

All state is a fold over the log. A resumed run walks through its log by the very steps that wrote it, commit by commit,
and starts just those trials whose results the log lacks, each seeing what it saw the first time.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from evograft.config.pipeline import Pipeline
from evograft.errors import BudgetSpent, EvograftError, RunStopping
from evograft.kernel.activity import Activities
from evograft.kernel.budget import BudgetTracker, Stop
from evograft.kernel.circuit_breaker import CircuitBreaker
from evograft.kernel.controls import ControlLog
from evograft.kernel.draws import ProposalDraw
from evograft.kernel.duplicates import Duplicates
from evograft.kernel.event_bus import Committed
from evograft.kernel.plugin_sets import PluginSet, PluginSets
from evograft.kernel.scheduler import Schedule
from evograft.kernel.seeds import require_seed
from evograft.kernel.trial_runner import Made, RunningTrial, TrialRunner
from evograft.llm.model_choice import ModelChoice
from evograft.llm.service import ModelService
from evograft.log.journal import NO_KEYS, BillableCall, FinalEvaluation, Finished, Journal, Record, ReplayedTrial
from evograft.log.population import Population
from evograft.plugin.context import CallSite, Scope
from evograft.runs.environment_reports import keep_reports
from evograft.runs.mailbox import Mailbox, Message
from evograft.text.masking import Keys
from evograft_hookspecs import (
    Candidate,
    Control,
    ControlApplied,
    Evaluator,
    FinalEvaluated,
    FrozenDict,
    LlmRequest,
    Problem,
    ProblemAnalyzed,
    RunEnded,
    RunStarted,
    TrialCommitted,
    WorkerFailed,
)
from evograft_hookspecs.drivers.executor import Executor

GRACE = 10.0
"""Seconds that trials in flight have to finish after an interruption or a failure."""

MOST_MUTATORS = 64
"""Calls of `mutate` that run at a time, but for those that wait for models: computing gains nothing by more."""

Outcome = Literal["complete", "interrupted", "failed"]


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
    follows: tuple[ReplayedTrial, ...] | None = None
    """The trials of the run that this one repeats, in the order of their commits."""
    changes: str = ""
    """The settings that were changed for this session, as YAML."""
    changed: tuple[str, ...] = ()
    """The names of the top-level settings that differ by them."""
    keep_settings: Callable[[], None] = lambda: None
    """Writes changed settings down; called once everything has started with them."""
    notes: tuple[str, ...] = ()
    """What the user should know about this start."""
    keys: Keys = NO_KEYS
    """What must not be seen."""


@dataclass(frozen=True)
class Parts:
    """What a kernel works with."""

    plugin_sets: PluginSets
    journal: Journal
    population: Population
    duplicates: Duplicates
    executor: Executor
    models: ModelService
    mailbox: Mailbox


class Kernel:
    """One session of a run, from the log as it is to a stop."""

    def __init__(self, plan: Plan, parts: Parts) -> None:
        pipeline = plan.pipeline
        self._plan = plan
        self._plugin_sets = parts.plugin_sets
        self._journal = parts.journal
        self._population = parts.population
        self._executor = parts.executor
        self._models = parts.models
        self._mailbox = parts.mailbox
        self._controls = ControlLog(parts.journal)
        self._duplicates = parts.duplicates
        self._draws = ProposalDraw(
            plan.weights,
            ModelChoice(pipeline.llm, parent=parts.population.trial),
            repairs=pipeline.repairs if parts.models.available else 0,
            follows=plan.follows or (),
        )
        # A run that is repeated ends where the other one did.
        self._breaker = CircuitBreaker(pipeline.llm.give_up_after if plan.follows is None else None)
        self._meter = BudgetTracker(pipeline.budget, parts.models.ledger, generation_size=pipeline.generation_size)
        window = max(window for _, window in plan.windows)
        self._runner = TrialRunner(
            parts.executor,
            self,
            mutators=min(window, max(MOST_MUTATORS, 2 * pipeline.llm.slots)),
            window=window,
            deadlines=pipeline.deadlines,
            kept_bytes=pipeline.kept_bytes,
        )
        self._activities = Activities(
            self._runner, parts.models, parts.executor, in_threads=pipeline.executor.driver == "threads"
        )
        self._logged = parts.journal.finished_trials()
        self._last_logged = max(self._logged, default=-1)
        self._replaying = True
        self._postponed: list[RunningTrial] = []
        """Opened while the log is walked through; launched at its end."""
        self._stop: Stop | None = None
        self._interruption: str | None = None
        self._give_up_at = float("inf")

    # -- a session, from top to bottom --------------------------------------------------------------------------------

    def run(self) -> RunEnded:
        """Searches until a stop, judges the best candidate, and leaves a run that can be resumed.

        Raises:
            PluginError: a plugin failed for good; its trial is uncommitted, the run resumable.
            ServiceError: something outside failed; likewise.
        """
        outcome: Outcome = "failed"
        try:
            outcome = self._work()
        except EvograftError as err:
            err.args = (self._plan.keys.shown(str(err)),)
            err.in_trials = not self._replaying
            self._stop = Stop("failure", f"failed: {err}")
            self._models.stop()
            self._save_what_is_finished()
            self._note_failure(self._stop)
            raise
        finally:
            self._runner.close(abandon=outcome != "complete")
            self._models.close()
            ended = self._end(outcome)
        return ended

    def _work(self) -> Outcome:
        try:
            with self._meter.alarm(self._models.end_waiting), self._mailbox.attended(self.stop):
                self._begin()
            with self._meter.alarm(self._models.end_waiting):
                self._search()
            self._judge_best()
        except RunStopping as reason:
            self._stop = self._stop_after(reason)
        self._models.raise_failure()
        return "interrupted" if self._interruption else "complete"

    def _begin(self) -> None:
        self._plugin_sets.setup_env()
        keep_reports(Path(self._plan.folder), self._plugin_sets.newest.scope.environment, self._plan.keys)
        self._executor.start(self._plugin_sets.evaluate, self._plan.remote)
        self._plan.keep_settings()
        records = self._journal.records()
        self._analyze(records)
        self._replay(records)

    def stop(self, reason: str) -> None:
        """Opens no further trial and gives those in flight a moment. Callable from any thread and signal handlers."""
        self._interruption = self._interruption or reason
        self._models.stop()
        self._runner.call_soon(partial(self._interrupt, reason))

    def tell(self, text: str) -> None:
        """Offers an instruction as advice to every trial that is not open yet. Callable from any thread."""
        self._runner.call_soon(partial(self._control, "tell", text))

    def ask(self, request: LlmRequest) -> str:
        """A model's answer to a person, logged and paid from the budget like any other. Callable from any thread.

        Raises:
            LlmRefused: there is no model, or no answer.
            HookAborted: the run ends.
        """
        place = CallSite(None, "ask", "person", f"ask/person/{uuid.uuid4().hex}", "")
        return self._models.ask(place, request, occurrence=0).text

    def apply(self, message: Message) -> None:
        """Does what another process asks, unless that was done before."""
        if self._controls.has_message(message.id):
            return
        if message.kind == "tell":
            self._control("tell", message.text, message=message.id, strategies=message.strategies)
        else:
            self.stop(message.text)

    def _analyze(self, records: Iterator[Record]) -> None:
        problem = next(filter(None, map(self._problem_in, records)), None)
        replayed = problem is not None
        if problem is None:
            first = self._plugin_sets.at(0)
            problem = first.hooks.analyze(first.scope)
            problem = self._journal.write_problem(problem)
        self._plugin_sets.analyzed(problem)
        self._problem = problem
        seeds = len(problem.seeds)
        follows = self._plan.follows
        order = self._plan.pipeline.commit_order if follows is None else tuple(each.number for each in follows)
        self._schedule = Schedule(order, seeds=seeds, windows=self._plan.windows)
        self._limit = self._meter.trial_limit(seeds)
        if self._last_logged < 0 and (self._limit is None or self._limit > seeds):
            self._plugin_sets.at(0).hooks.require_operator(problem, has_model=self._models.available)
        self._models.announce = self._announce_soon
        self._announce_start()
        self._commit_event(ProblemAnalyzed, replayed=replayed, problem=problem)

    def _problem_in(self, record: Record) -> Problem | None:
        if isinstance(record, BillableCall):
            self._models.ledger.add(record)
        return record if isinstance(record, Problem) else None

    def _replay(self, records: Iterator[Record]) -> None:
        self._announce_controls()
        self._open_trials()
        for record in records:
            if isinstance(record, BillableCall):
                self._models.ledger.add(record)
            elif isinstance(record, Finished):
                self._commit(record)
        self._replaying = False
        self._require_seed()
        if self._plan.changes:
            first = self._plan.windows[-1][0]
            self._control("settings", self._plan.changes, first_trial=first, changed=self._plan.changed)
        for running in self._postponed:
            self._runner.launch(running)

    def _search(self) -> None:
        while self._runner.under_way and time.monotonic() < self._give_up_at:
            if not self._runner.step(timeout=0.5):
                self._stop_if_due()
            self._mailbox.exchange(self.apply, self._activities.list, elapsed=self._meter.elapsed)

    def _judge_best(self) -> None:
        """Evaluates the best candidate once more on data that no choice has depended on."""
        best, judged = self._population.best.trial, self._controls.judged
        if best is None or best.candidate is None or self._interruption:
            return
        if judged is None or (judged.trial, judged.commits) != (best.number, self._population.commits):
            view = self._population.commits
            plugin_set = self._plugin_sets.newest
            scope = plugin_set.scope.at(best.number, view=view)
            self._runner.launch(
                RunningTrial(best.number, view, scope, plugin_set.hooks, candidate=best.candidate, final=True)
            )
            self._search()

    def _save_what_is_finished(self) -> None:
        """After a failure: the trials in flight may land, so that nothing that was evaluated is lost."""
        end = time.monotonic() + GRACE
        while self._runner.under_way and time.monotonic() < end:
            try:
                self._runner.step(timeout=0.5)
            except EvograftError:
                continue  # the first failure is the one that is reported

    def _note_failure(self, stop: Stop) -> None:
        """Lets those who look at the run later know; nothing, where the log is what failed."""
        if self._population.commits:
            with suppress(EvograftError):
                self._control_stop(stop)

    # -- one trial ----------------------------------------------------------------------------------------------------

    def _open_trials(self) -> None:
        while (number := self._open_next()) is not None:
            if number in self._logged or not self._schedule.is_wanted(number):
                continue
            plugin_set = self._plugin_sets.at(number)
            running = RunningTrial(
                number, self._schedule.view, plugin_set.scope.at(number, view=self._schedule.view), plugin_set.hooks
            )
            if number < len(self._problem.seeds):
                self._plant(running)
            else:
                self._select(running, plugin_set)
                self._propose(running)
            if self._replaying:
                self._postponed.append(running)
            else:
                self._runner.launch(running)

    def _open_next(self) -> int | None:
        number = self._schedule.opened
        if number <= self._last_logged:
            opened = self._schedule.open()
            if opened is not None:
                self._stop = None  # whatever stopped it then, the log shows that the run went on
            return opened
        within = self._limit is None or number < self._limit
        return self._schedule.open() if within and self._stop is None else None

    def _plant(self, running: RunningTrial) -> None:
        files, kind = self._problem.seeds[running.number], self._problem.kind
        running.candidate = Candidate(kind=kind, files=files, operator="kernel.seed", trial=running.number)

    def _select(self, running: RunningTrial, plugin_set: PluginSet) -> None:
        selection = plugin_set.select(running.scope, is_committed=self._population.has)
        running.selection = selection
        running.parents = tuple(map(self._population.trial, selection.parents))
        running.incumbent = (
            None if selection.incumbent is None else self._population.trial(selection.incumbent).evaluation
        )

    def _propose(self, running: RunningTrial) -> None:
        assert running.selection is not None, "proposals follow a selection"
        proposals, advice = running.hooks.propose(running.scope, running.selection)
        instructions = self._controls.advice_for(running.number)
        drawn = self._draws.proposal(running.scope, proposals)
        running.proposal = drawn.model_copy(update={"advice": instructions + advice})
        running.repair_operator, running.repairs = self._draws.repair_operator(
            running.scope, drawn.operator, running.hooks
        )
        running.scope = running.scope.with_facts(model=drawn.model)

    def _commit(self, finished: Finished) -> None:
        """Commits whatever the finished trial makes ready, and opens what each commit completes the view of."""
        self._meter.add(finished, replayed=self._replaying)
        for done in self._schedule.finish(finished):
            trial = done.trial
            self._population.commit(trial)
            self._duplicates.commit(trial, done.prints)
            spent = self._models.ledger.settle(trial.number)
            self._draws.commit(trial, spent)
            self._breaker.commit(trial, spent)
            self._models.settle(trial.number)
            self._plugin_sets.tell(trial, spare=self._spare_scope)
            self._commit_event(TrialCommitted, trial=trial)
            self._announce_controls()
            self._stop_if_due()
            if not self._replaying:
                self._breaker.require_closed()
                self._require_seed()
            self._open_trials()

    def _spare_scope(self, plugin_set: PluginSet) -> Scope:
        return plugin_set.scope.at(self._schedule.opened, view=self._population.commits)

    # -- what running trials report (see `TrialListener`) -------------------------------------------------------------

    def compare(self, running: RunningTrial, candidate: Candidate) -> Made:
        language = self._problem.language
        prints = self._duplicates.prints(candidate, language)
        if running.hooks.reevaluates(candidate.operator):
            return Made(candidate, prints, None)
        earlier = self._duplicates.find(candidate, prints, language, parents=running.parents, view=running.view)
        return Made(candidate, prints, earlier)

    def kept_by(self, numbers: tuple[int, ...]) -> tuple[bytes, ...]:
        return tuple(self._journal.kept(self._population.trial(number).evaluation) for number in numbers)

    def trial_finished(self, running: RunningTrial) -> None:
        if running.final:
            self._judged(running)
        else:
            trial = running.to_trial()
            trial = trial.model_copy(update={"model": self._models.author_of(trial)})
            self._commit(self._journal.write_trial(trial, running.prints, elapsed=self._meter.elapsed))

    def trial_abandoned(self, running: RunningTrial, reason: RunStopping) -> None:  # noqa: ARG002 - whichever it was
        if self._stop is None:
            self._control_stop(self._stop_after(reason))

    def _stop_after(self, reason: RunStopping) -> Stop:
        """Return what a trial was given up for: a person's word, or what ended its call of a model."""
        if self._interruption is not None:
            return Stop("user", self._interruption)
        return Stop("budget" if isinstance(reason, BudgetSpent) else "failure", str(reason))

    def worker_lost(self, running: RunningTrial, reason: str) -> None:
        self._plugin_sets.announce(WorkerFailed(trial=running.number, reason=reason), view=self._population.commits)

    def _judged(self, running: RunningTrial) -> None:
        assert running.evaluation is not None, "it has landed"
        evaluation, durations = running.evaluation.without_spending(), running.evaluation.durations
        judged = self._controls.write_judgement(
            FinalEvaluation(running.number, self._population.commits, evaluation, durations)
        )
        self._commit_event(FinalEvaluated, trial=running.number, evaluation=judged.evaluation)

    # -- stops and instructions ---------------------------------------------------------------------------------------

    def _stop_if_due(self) -> None:
        stop = None if self._stop else self._meter.find_stop(self._population)
        if stop is None:
            return
        if self._replaying:
            self._stop = stop  # its row is in the log, or was lost with the process that would have written it
        else:
            self._control_stop(stop)

    def _require_seed(self) -> None:
        """Ends the session, once all seeds are committed and nothing else is, if none is worth something."""
        seeds = len(self._problem.seeds)
        if self._plan.follows is None and self._population.commits == seeds > self._last_logged:
            trials = [self._population.trial(number) for number in range(seeds)]
            require_seed(trials, evaluator=self._plugin_sets.at(0).hooks.owner("evaluate"))

    def _interrupt(self, reason: str) -> None:
        self._give_up_at = min(self._give_up_at, time.monotonic() + GRACE)
        if self._stop is None:
            self._control_stop(Stop("user", reason))

    def _control_stop(self, stop: Stop) -> None:
        written = self._control("stop", stop.reason, stop=stop.cause)
        self._stop = Stop(stop.cause, written.text)

    def _control(self, kind: Literal["tell", "stop", "settings"], text: str, **facts: Any) -> Control:
        """Logs a control that holds from the next trial to be opened on, unless `facts` name another, and announces it."""
        place = {"first_trial": self._schedule.opened, "commits": self._population.commits}
        control = Control(kind=kind, text=self._plan.keys.masked(text), **(place | facts))
        control = self._controls.write_control(control)
        self._commit_event(ControlApplied, control=control)
        return control

    def _announce_controls(self) -> None:
        """Tells observers what the log says happened at this commit; nothing, once the log was walked through."""
        for control in self._controls.logged_at(self._population.commits):
            if isinstance(control, Control):
                if control.kind == "stop":
                    self._breaker.reset()
                self._commit_event(ControlApplied, control=control)
            else:
                self._commit_event(FinalEvaluated, trial=control.trial, evaluation=control.evaluation)

    # -- events -------------------------------------------------------------------------------------------------------

    def _announce_start(self) -> None:
        started = RunStarted(
            run=self._plan.run,
            folder=self._plan.folder,
            resumed_at=len(self._logged) or None,
            notes=(*self._plan.notes, *self._serial_note()),
            pipeline=self._plan.pipeline.to_data(),
            environment=self._plugin_sets.newest.scope.environment,
        )
        self._plugin_sets.announce(started, view=0)

    def _serial_note(self) -> tuple[str, ...]:
        """That evaluations wait for one another, where more workers are there for them."""
        owner, workers = self._plugin_sets.newest.hooks.owner("evaluate"), self._executor.workers
        if owner.manifest.thread_safe or self._plan.pipeline.executor.driver != "threads" or workers == 1:
            return ()
        note = (
            f"evaluations run one at a time: plugin {owner.name!r} does not declare thread_safe; "
            f"--set executor.driver=processes runs {workers} at a time"
        )
        return (note,)

    def _announce_soon(self, event: Any) -> None:
        self._runner.call_soon(lambda: self._plugin_sets.announce(event, view=self._population.commits))

    def _commit_event(self, kind: type[Committed], *, replayed: bool | None = None, **content: Any) -> None:
        again = self._replaying if replayed is None else replayed
        self._plugin_sets.commit_event(kind, view=self._population.commits, replayed=again, **content)

    def _end(self, outcome: Outcome) -> RunEnded:
        ended = RunEnded(
            outcome=outcome,
            reason=self._stop.reason if self._stop else "all trials are done",
            commits=self._population.commits,
            best=self._population.best.trial,
            folder=self._plan.folder,
        )
        self._plugin_sets.announce(ended, view=self._population.commits)
        return ended
