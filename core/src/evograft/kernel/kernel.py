"""The evolution itself: analyze once; then select, propose, mutate, evaluate and commit, over a window of trials.

All state is a fold over the log. A resumed run walks through its log by the very steps that wrote it, commit by commit,
and starts just those trials whose results the log lacks, each seeing what it saw the first time.
"""

from __future__ import annotations

import time
from contextlib import suppress

from evograft.errors import EvograftError, RunStopping
from evograft.kernel.budget import BudgetTracker, Stop
from evograft.kernel.commits import CommitFolds, ResultLog
from evograft.kernel.controls import Controls
from evograft.kernel.draws import ProposalDraw
from evograft.kernel.event_bus import EventBus
from evograft.kernel.plan import Outcome, RunParts, RunPlan, run_ended, run_started
from evograft.kernel.replay import Replay
from evograft.kernel.requests import Requests
from evograft.kernel.running_trial import RunningTrial
from evograft.kernel.scheduler import Schedule
from evograft.kernel.trial_runner import TrialRunner
from evograft.log.records import Finished
from evograft_hookspecs import ProblemAnalyzed, RunEnded, Selection, TrialCommitted


class Kernel:
    """One session of a run, from the log as it is to a stop."""

    def __init__(self, plan: RunPlan, parts: RunParts) -> None:
        self._plan, self._parts, self._models = plan, parts, parts.models
        self._bus = EventBus(parts.plugin_sets, parts.population)
        self._budget = BudgetTracker.for_run(plan.pipeline, parts.models.ledger)
        self._replay = Replay(parts.journal, self._bus, self._budget)
        self._schedule = Schedule(plan.commit_order, windows=plan.windows, last_logged=self._replay.last_trial)
        self._controls = Controls(plan, parts, self._bus, self._budget, self._schedule)
        self._draws = ProposalDraw.for_run(plan, parts)
        self._folds = CommitFolds(plan, parts, self._schedule, self._budget, self._draws, self._controls)
        self._trials = TrialRunner(plan, parts)
        self._results = ResultLog(self._trials, parts, self._bus, self._controls, self._budget)
        self.requests = Requests(plan, parts, self._controls, self._trials)

    # -- a session, from top to bottom --------------------------------------------------------------------------------

    def run(self) -> RunEnded:
        """Search until a stop, evaluate the best candidate, and leave a run that can be resumed.

        Raises:
            PluginError: a plugin failed for good; its trial is uncommitted, the run resumable.
            ServiceError: something outside failed; likewise.
        """
        outcome: Outcome = "failed"
        try:
            outcome = self._work()
        except EvograftError as err:
            self._fail(err)
            raise
        finally:
            self._trials.close(abandon=outcome != "complete")
            self._models.close()
            ended = run_ended(self._plan, self._parts, outcome, self._controls.stop, waiting=self._schedule.waiting())
            self._bus.announce(ended)
        return ended

    def _work(self) -> Outcome:
        try:
            with self._budget.alarm(self._models.end_waiting), self.requests.attend():
                self._setup_env()
                self._analyze()
                self._replay_log()
            with self._budget.alarm(self._models.end_waiting):
                self._search()
            self._evaluate_best()
        except RunStopping as reason:
            self._controls.stop = self._controls.stop_after(reason)
        self._models.raise_failure()
        return "interrupted" if self._controls.interruption else "complete"

    def _setup_env(self) -> None:
        self._parts.plugin_sets.setup_env()
        self._plan.keep_reports(self._parts.plugin_sets.newest.scope.environment)
        self._parts.executor.start(self._parts.plugin_sets.evaluate, self._plan.remote)
        self._plan.keep_settings()

    def _analyze(self) -> None:
        problem, first = self._replay.find_problem(), self._parts.plugin_sets.at(0)
        if problem is None:
            problem = self._parts.journal.write_problem(first.hooks.analyze(first.scope))
        self._parts.plugin_sets.set_problem(problem)
        seeds = len(problem.seeds)
        self._schedule.begin(seeds=seeds, limit=self._budget.trial_limit(seeds))
        if not self._replay.trials and not self._schedule.has_only_seeds:
            first.hooks.require_operator(problem, has_model=self._models.available)
        self._parts.inbox.accept_events()
        self._bus.announce(run_started(self._plan, self._parts, trials=self._replay.trials))
        self._bus.commit(ProblemAnalyzed, problem=problem)

    def _replay_log(self) -> None:
        with self._trials.hold():
            with self._replay.walk() as finished_trials:
                self._controls.announce_logged()
                self._open_trials()
                for finished in finished_trials:
                    self._commit(finished)
            self._controls.require_seed()
            self._controls.note_changes()
        self._take_results()

    def _search(self) -> None:
        while self._trials.count and not self.requests.grace_is_over:
            if not self._step():
                self._controls.stop_if_due()
            self.requests.exchange(elapsed=self._budget.elapsed)

    def _step(self) -> bool:
        """Do one thing that came in and take the results that it brought; return whether something came in."""
        item = self._parts.inbox.get(timeout=0.5)
        if item is None:
            return False
        try:
            item() if callable(item) else self._bus.announce(item)
            self._take_results()
        except RunStopping as reason:
            self._controls.stop_unless_stopped(self._controls.stop_after(reason))
        return True

    def _evaluate_best(self) -> None:
        """Evaluate the best candidate once more, on data that no choice has depended on."""
        best, commits = self._parts.population.best.trial, self._parts.population.commits
        if best is None or best.candidate is None or self._controls.interruption:
            return
        if not self._controls.log.has_final(best.number, commits=commits):
            self._trials.start(RunningTrial.of_best(best, view=commits, plugins=self._parts.plugin_sets.newest))
            self._search()

    def _fail(self, err: EvograftError) -> None:
        """Note a failure; the trials in flight may finish, so that nothing that was evaluated is lost."""
        err.args = (self._plan.keys.shown(str(err)),)
        err.in_trials = self._replay.is_over
        self._controls.stop = stop = Stop("failure", f"failed: {err}")
        self._models.stop()
        end = self.requests.end_of_grace()
        while self._trials.count and time.monotonic() < end:
            with suppress(EvograftError):  # the first failure is the one that is reported
                self._step()
        self._controls.note_failure(stop)

    # -- one trial ----------------------------------------------------------------------------------------------------

    def _open_trials(self) -> None:
        """Open each trial whose view is complete, in the order of their numbers."""
        while (number := self._schedule.open(stopped=self._controls.stop is not None)) is not None:
            self._controls.note_opened(number)
            if self._replay.has_trial(number) or not self._schedule.is_wanted(number):
                continue
            trial = self._open(number)
            if number >= self._schedule.seeds:
                self._propose(trial, self._select(trial))
            self._trials.start(trial)  # mutate, compare, evaluate, repair
            self._take_results()

    def _open(self, number: int) -> RunningTrial:
        return RunningTrial.of(
            number,
            view=self._schedule.view,
            plugins=self._parts.plugin_sets.at(number),
            instructions=self._controls.log.advice_for(number),
        )

    def _select(self, trial: RunningTrial) -> Selection:
        population, plugins = self._parts.population, self._parts.plugin_sets.at(trial.number)
        selection = trial.selection = plugins.select(trial.scope, is_committed=population.has)
        trial.parents = tuple(map(population.trial, selection.parents))
        if selection.independent:
            trial.limit_history(max(map(population.position, selection.parents), default=-1) + 1)
        if selection.incumbent is not None:
            trial.incumbent = population.trial(selection.incumbent).evaluation
        return selection

    def _propose(self, trial: RunningTrial, selection: Selection) -> None:
        proposals, advice = trial.hooks.propose(trial.scope, selection)
        self._draws.draw_for(trial, proposals, advice=trial.scope.instructions + advice)

    def _take_results(self) -> None:
        while (finished := self._results.take_finished()) is not None:
            self._commit(finished)

    def _commit(self, finished: Finished) -> None:
        """Commit what a finished trial makes ready, and open what each commit completes the view of."""
        for trial in self._folds.commit(finished):
            self._bus.commit(TrialCommitted, trial=trial)
            self._controls.announce_logged()
            self._controls.stop_if_due()
            self._controls.require_success()
            self._open_trials()
