"""Controls of a run: instructions, stops, changed settings and final evaluations.

Each has its place behind the commit at which it happened.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import Any, Literal

from evograft.errors import BudgetSpent, EvograftError, RunStopping
from evograft.kernel.budget import BudgetTracker, Stop
from evograft.kernel.circuit_breaker import CircuitBreaker
from evograft.kernel.event_bus import EventBus
from evograft.kernel.plan import RunParts, RunPlan
from evograft.kernel.scheduler import Schedule
from evograft.kernel.seeds import require_seed
from evograft.log.journal import Journal
from evograft.log.records import FinalEvaluation
from evograft.log.spending import Spending
from evograft_hookspecs import Advice, Control, ControlApplied, Evaluation, FinalEvaluated, FrozenDict, Trial

ControlKind = Literal["tell", "stop", "settings"]


class ControlLog:
    """The controls that the log holds, and those that this session adds."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._instructions: list[Control] = []
        self._messages: set[str] = set()
        self._by_commit: dict[int, list[Control | FinalEvaluation]] = defaultdict(list)
        self.final: FinalEvaluation | None = None
        """The newest final evaluation."""
        for control in journal.controls():
            self._by_commit[control.commits].append(control)
            self._keep(control)

    def write(self, control: Control) -> Control:
        """Log something that happens now, before the first trial that it affects starts; return it as logged."""
        written = self._journal.write_control(control)
        self._keep(written)
        return written

    def write_final(self, final: FinalEvaluation) -> FinalEvaluation:
        """Log a final evaluation; return it as logged."""
        written = self._journal.write_final_evaluation(final)
        self._keep(written)
        return written

    def has_message(self, message: str) -> bool:
        """Return whether a message from another process was applied before."""
        return message in self._messages

    def has_final(self, trial: int, *, commits: int) -> bool:
        """Return whether the newest final evaluation is that of a trial after a number of commits."""
        return self.final is not None and (self.final.trial, self.final.commits) == (trial, commits)

    def take_logged(self, commits: int) -> list[Control | FinalEvaluation]:
        """Return what the log says happened after a number of commits, in order; each is handed out once."""
        return self._by_commit.pop(commits, [])

    def advice_for(self, trial: int) -> tuple[Advice, ...]:
        """Return the instructions that hold for a trial."""
        return tuple(
            Advice(id=f"tell-{number}", text=control.text, strategies=control.strategies)
            for number, control in enumerate(self._instructions)
            if control.first_trial <= trial
        )

    def _keep(self, control: Control | FinalEvaluation) -> None:
        if isinstance(control, FinalEvaluation):
            self.final = control
            return
        self._messages.add(control.message)
        if control.kind == "tell":
            self._instructions.append(control)


class Controls:
    """The controls of a session: writes what people ask of the run, and ends it when its time has come."""

    def __init__(
        self, plan: RunPlan, parts: RunParts, bus: EventBus, budget: BudgetTracker, schedule: Schedule
    ) -> None:
        self.log = ControlLog(parts.journal)
        self.stop: Stop | None = None
        """The reason why no further trial opens; `None`: the run continues."""
        self.interruption: Stop | None = None
        """The stop of whoever stopped this session, if somebody did."""
        self._plan = plan
        self._population = parts.population
        self._evaluator = parts.plugin_sets.at(0).hooks.owner("evaluate")
        self._bus = bus
        self._budget = budget
        self._schedule = schedule
        # A run that is repeated ends where the other one did.
        self._breaker = CircuitBreaker(plan.pipeline.llm.give_up_after if plan.follows is None else None)

    def write(self, kind: ControlKind, text: str, **facts: Any) -> Control:
        """Log a control and tell observers of it; return it as logged.

        Args:
            kind: of the control.
            text: the instruction, the reason, or the changed settings.
            facts: its other fields; unless they say otherwise, it holds from the next trial that opens.
        """
        place = {"first_trial": self._schedule.opened, "commits": self._population.commits}
        control = Control(kind=kind, text=self._plan.keys.masked(text), **(place | facts))
        control = self.log.write(control)
        self._bus.commit(ControlApplied, control=control)
        return control

    def write_stop(self, stop: Stop) -> None:
        """Log that the run stops, and open no further trial."""
        written = self.write("stop", stop.reason, stop=stop.cause, facts=stop.facts)
        self.stop = stop._replace(reason=written.text)

    def write_final(self, trial: int, evaluation: Evaluation) -> None:
        """Log the final evaluation of a trial, and tell observers of it."""
        final = FinalEvaluation(trial, self._population.commits, evaluation.without_spending(), evaluation.durations)
        self._bus.commit(FinalEvaluated, trial=trial, evaluation=self.log.write_final(final).evaluation)

    def announce_logged(self) -> None:
        """Tell observers the controls that the log holds for this commit: none, once the log was walked through."""
        for control in self.log.take_logged(self._population.commits):
            if isinstance(control, FinalEvaluation):
                self._bus.commit(FinalEvaluated, trial=control.trial, evaluation=control.evaluation)
                continue
            if control.kind == "stop":
                self._breaker.reset()
            self._bus.commit(ControlApplied, control=control)

    def commit(self, trial: Trial, spent: Spending) -> None:
        """Count a trial whose models gave no program."""
        self._breaker.commit(trial, spent)

    def stop_if_due(self) -> None:
        """Stop the run once it has reached a limit of its budget."""
        stop = None if self.stop else self._budget.find_stop(self._population)
        if stop is None:
            return
        if self._bus.replayed:
            self.stop = stop  # its row is in the log, or was lost with the process that would have written it
        else:
            self.write_stop(stop)

    def stop_unless_stopped(self, stop: Stop) -> None:
        """Stop the run, unless it has stopped already."""
        if self.stop is None:
            self.write_stop(stop)

    def stop_after(self, reason: RunStopping) -> Stop:
        """Return why a trial was given up: a person asked for it, or its call of a model was ended."""
        if self.interruption is not None:
            return self.interruption
        if isinstance(reason, BudgetSpent):
            return Stop("budget", str(reason), FrozenDict(reason.facts))
        return Stop("failure", str(reason))

    def note_failure(self, stop: Stop) -> None:
        """Log a failure for those who look at the run later; nothing is logged if the log is what failed."""
        if self._population.commits:
            with suppress(EvograftError):
                self.write_stop(stop)

    def note_opened(self, number: int) -> None:
        """Take back a stop where the log shows that the run continued: it was resumed."""
        if self._schedule.was_open(number):
            self.stop = None

    def note_changes(self) -> None:
        """Log the settings that were changed for this session, if any were."""
        if self._plan.changes:
            first = self._plan.windows[-1][0]
            self.write("settings", self._plan.changes, first_trial=first, changed=self._plan.changed)

    def require_success(self) -> None:
        """Check that models give programs, and that a seed is worth something.

        Raises:
            PluginError: the evaluator accepts no seed.
            ServiceError: the models have failed too often in a row, or no seed could be evaluated.
        """
        if not self._bus.replayed:
            self._breaker.require_closed()
            self.require_seed()

    def require_seed(self) -> None:
        """End the session, once all seeds are committed and nothing else is, if none is worth something."""
        seeds = self._schedule.seeds
        is_next = self._population.commits == seeds and not self._schedule.was_open(seeds)
        if self._plan.follows is None and is_next:
            trials = [self._population.trial(number) for number in range(seeds)]
            require_seed(trials, evaluator=self._evaluator)
