"""A trial between its opening and its result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from evograft.kernel.plugin_sets import PluginSet
from evograft.log.records import NO_PRINTS, Prints
from evograft.plugin.context import Scope
from evograft.plugin.hooks import Hooks
from evograft_hookspecs import Advice, Attempt, Candidate, Evaluation, Problem, Proposal, Selection, Trial


@dataclass
class Repairs:
    """The repairs of a trial's candidate, those that it may have and those that it had."""

    operator: str | None = None
    """The operator that a rejected candidate goes to, if there is one."""
    limit: int = 0
    """How often it does."""
    attempts: tuple[Attempt, ...] = ()
    """The candidates that were rejected so far and went back."""
    rejection: Evaluation | None = None
    """The evaluation of the newest of them."""

    @property
    def is_possible(self) -> bool:
        """Whether a candidate that is rejected now goes to the operator."""
        return self.operator is not None and len(self.attempts) < self.limit

    def add(self, attempt: Attempt, rejection: Evaluation) -> None:
        """Note a rejected candidate that goes to the operator."""
        self.attempts = (*self.attempts, attempt)
        self.rejection = rejection

    def withdraw(self) -> tuple[Attempt, Evaluation]:
        """Take back the newest attempt, which the operator could not do anything with; return it and its evaluation."""
        *before, last = self.attempts
        rejection = self.rejection
        assert rejection is not None, "each attempt was rejected"
        self.attempts = tuple(before)
        return last, rejection


@dataclass
class TrialProgress:
    """The course of a running trial."""

    since: float = field(default_factory=time.time)
    """Unix time of its opening, for people."""
    queued_at: float = 0.0
    """Monotonic time at which its candidate went to the executor."""
    workers_lost: int = 0
    """How many workers have died over its candidate."""


@dataclass
class RunningTrial:
    """One trial between its opening and its result."""

    number: int
    view: int
    scope: Scope
    hooks: Hooks
    selection: Selection | None = None
    proposal: Proposal | None = None
    parents: tuple[Trial, ...] = ()
    incumbent: Evaluation | None = None
    repairs: Repairs = field(default_factory=Repairs)
    candidate: Candidate | None = None
    """Known from the start for seeds, else the answer of `mutate`."""
    prints: Prints = NO_PRINTS
    evaluation: Evaluation | None = None
    duplicate_of: int | None = None
    is_final: bool = False
    """Whether this is not a trial but the evaluation of the best candidate after the search."""
    progress: TrialProgress = field(default_factory=TrialProgress)

    @classmethod
    def of(cls, number: int, *, view: int, plugins: PluginSet, instructions: tuple[Advice, ...]) -> Self:
        """Open a trial; the candidate of a seed is known."""
        scope = plugins.scope.at(number, view=view).with_facts(instructions=instructions)
        trial = cls(number, view, scope, plugins.hooks)
        problem = trial.problem
        if number < len(problem.seeds):
            files = problem.seeds[number]
            trial.candidate = Candidate(kind=problem.kind, files=files, operator="kernel.seed", trial=number)
        return trial

    @classmethod
    def of_best(cls, best: Trial, *, view: int, plugins: PluginSet) -> Self:
        """Evaluate the candidate of a committed trial once more, on other data."""
        trial = cls(best.number, view, plugins.scope.at(best.number, view=view), plugins.hooks)
        trial.candidate, trial.is_final = best.candidate, True
        return trial

    @property
    def problem(self) -> Problem:
        problem = self.scope.problem
        assert problem is not None, "trials open once the problem is known"
        return problem

    @property
    def ended_with(self) -> Evaluation:
        """The evaluation, once there is one."""
        assert self.evaluation is not None, "it is finished"
        return self.evaluation

    def limit_history(self, commits: int) -> None:
        """Let hooks know no more than the first commits of the view."""
        self.scope = replace(self.scope, view=commits)

    def to_trial(self, before: Sequence[Evaluation] = ()) -> Trial:
        """Return the record of a trial that is finished; drafts of attempts are in the log already, as answers.

        The kernel, which knows the models, adds the one that was called.

        Args:
            before: the evaluations that its operator asked for.
        """
        attempts = tuple(attempt.model_copy(update={"draft": ""}) for attempt in self.repairs.attempts)
        fields = {name: getattr(self, name) for name in RECORDED}
        if before:
            fields["evaluation"] = _with_spending(self.ended_with, before)
        return Trial.model_validate({**fields, "attempts": attempts, "evaluations_before": len(before)})


def _with_spending(evaluation: Evaluation, before: Sequence[Evaluation]) -> Evaluation:
    """Return an evaluation whose cost is that of earlier ones, too."""
    spent = {name: getattr(evaluation, name) + sum(getattr(each, name) for each in before) for name in SPENDING}
    return evaluation.model_copy(update=spent)


SPENDING = ("seconds", "cost")
RECORDED = tuple(name for name in Trial.model_fields if name not in ("attempts", "model", "evaluations_before"))
"""Fields of a trial's record that a running trial has under the same name."""
