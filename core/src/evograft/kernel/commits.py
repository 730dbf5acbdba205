"""Commits: results of trials written to the log as they come, and added to all that is a sum of the trials before."""

from __future__ import annotations

from collections.abc import Iterator

from evograft.kernel.budget import BudgetTracker
from evograft.kernel.controls import Controls
from evograft.kernel.draws import ProposalDraw
from evograft.kernel.event_bus import EventBus
from evograft.kernel.plan import RunParts, RunPlan
from evograft.kernel.running_trial import RunningTrial
from evograft.kernel.scheduler import Schedule
from evograft.kernel.trial_costs import TrialCosts
from evograft.kernel.trial_runner import TrialRunner
from evograft.log.records import Finished
from evograft_hookspecs import Trial, WorkerFailed


class ResultLog:
    """The writer of results: takes them from the trial runner and logs each by its kind."""

    def __init__(
        self, trials: TrialRunner, parts: RunParts, bus: EventBus, controls: Controls, budget: BudgetTracker
    ) -> None:
        self._trials = trials
        self._parts = parts
        self._bus = bus
        self._controls = controls
        self._budget = budget

    def take_finished(self) -> Finished | None:
        """Return the next trial that has its evaluation, as logged; `None`: there is none for now."""
        while (result := self._trials.take_result()) is not None:
            if isinstance(result, WorkerFailed):
                self._bus.announce(result)
            elif result.is_final:
                self._controls.write_final(result.number, result.ended_with)
            else:
                return self._write(result)
        return None

    def _write(self, running: RunningTrial) -> Finished:
        before = self._parts.plugin_sets.at(running.number).services.finish(running.number)
        trial = running.to_trial(before)
        trial = trial.model_copy(update={"model": self._parts.models.author_of(trial)})
        return self._parts.journal.write_trial(trial, running.prints, elapsed=self._budget.elapsed)


class CommitFolds:
    """The folds over commits, in the order in which they take a trial."""

    def __init__(
        self,
        plan: RunPlan,
        parts: RunParts,
        schedule: Schedule,
        budget: BudgetTracker,
        draws: ProposalDraw,
        controls: Controls,
    ) -> None:
        self._parts = parts
        self._costs = TrialCosts(plan.follows or ())
        self._schedule = schedule
        self._budget = budget
        self._draws = draws
        self._controls = controls

    def commit(self, finished: Finished) -> Iterator[Trial]:
        """Yield each trial that a finished one makes ready, once it is committed."""
        self._budget.add(finished)
        for done in self._schedule.finish(finished):
            self._add(done)
            yield done.trial

    def _add(self, done: Finished) -> None:
        parts, trial = self._parts, done.trial
        parts.population.commit(trial)
        parts.duplicates.commit(trial, done.prints)  # reads the population
        spent = parts.models.ledger.settle(trial.number)
        parts.population.charge(trial.number, self._costs.of(done, spent))
        self._draws.commit(trial, spent)
        self._controls.commit(trial, spent)
        parts.models.settle(trial.number)
        # Plugins may be called for this one, so all else knows of the commit before.
        parts.plugin_sets.commit(trial, next_trial=self._schedule.opened, view=parts.population.commits)
