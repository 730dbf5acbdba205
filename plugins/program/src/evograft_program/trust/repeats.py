"""Repeated evaluations of a candidate, each with a seed of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evograft.text.escapes import one_line
from evograft_hookspecs import Evaluation
from evograft_program.trust.racing import is_hopeless
from evograft_program.trust.summary import add_costs, list_scores, summarise

MAIN_REPEAT = "repeat"


class SingleEvaluation(Protocol):
    """Evaluates the candidate at hand once."""

    def __call__(self, *, seed: int, clean: bool) -> Evaluation:
        """Evaluate it.

        Args:
            seed: of the evaluator's global random generators.
            clean: whether in a process that was not forked from another.
        """
        ...


@dataclass(frozen=True)
class RepeatPlan:
    """The evaluations that a candidate is to have."""

    count: int
    first_seed: int = 0
    """The others follow: all candidates have the same."""
    clean: bool = False
    name: str = MAIN_REPEAT
    """What each is called, with its number."""

    @property
    def cases(self) -> tuple[str, ...]:
        return tuple(f"{self.name} {number + 1}" for number in range(self.count))

    def find_scores(self, evaluation: Evaluation | None) -> list[float]:
        """Return the scores of another candidate in the same evaluations; empty: some are missing."""
        cases = {} if evaluation is None else evaluation.cases
        return [cases[name] for name in self.cases] if cases.keys() >= set(self.cases) else []


@dataclass
class Repeats:
    """Evaluations that were carried out."""

    plan: RepeatPlan
    done: dict[str, Evaluation] = field(default_factory=dict)
    """Those that are `ok`, by their names."""
    failure: Evaluation | None = None
    """The one that is not; it was the last."""
    is_given_up: bool = False

    @property
    def scores(self) -> list[float]:
        return list_scores(self.done.values())

    def fail(self, prefix: str = "") -> Evaluation:
        """Return the failure as the candidate's evaluation."""
        assert self.failure is not None, "it is asked for after a failure only"
        which = f"evaluation {len(self.done) + 1} of {self.plan.count}: " if self.done else ""
        reason = one_line(f"{prefix}{which}{self.failure.reason}")
        return self.failure.model_copy(update={"reason": reason, **add_costs((*self.done.values(), self.failure))})


def carry_out(evaluate: SingleEvaluation, plan: RepeatPlan, rival: Evaluation | None = None) -> Repeats:
    """Carry out evaluations until one fails, or until the candidate will hardly reach a rival with the same seeds."""
    theirs = plan.find_scores(rival)
    repeats = Repeats(plan)
    for number, name in enumerate(plan.cases):
        evaluation = evaluate(seed=plan.first_seed + number, clean=plan.clean)
        if evaluation.status != "ok":
            repeats.failure = evaluation
            break
        repeats.done[name] = evaluation
        if theirs and is_hopeless(repeats.scores, theirs):
            repeats.is_given_up = True
            break
    return repeats


def prune(repeats: Repeats, theirs: Sequence[float]) -> Evaluation:
    """Return the evaluation of a candidate that was given up: its score is an estimate."""
    count, summary = len(repeats.done), summarise(repeats.done)
    bar = sum(theirs[:count]) / count
    reason = (
        f"given up after {count} of {repeats.plan.count} evaluations: {summary.score:.6g} on average, "
        f"and the incumbent {bar:.6g} with the same seeds"
    )
    return summary.model_copy(update={"status": "pruned", "reason": reason, "kept": b""})
