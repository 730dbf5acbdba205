"""The summary of a run: a fold over its trials, as far as lessons are drawn from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from evograft.api import Best
from evograft_hookspecs import Problem, Trial

LONGEST_REASON = 200
MOST_REASONS = 1000
"""Different reasons that are counted; a run whose programs all fail in ways of their own teaches nothing by them."""
MOST_STEPS = 20
MOST_TOLD = 10


@dataclass(frozen=True)
class BestStep:
    """A trial that was better than all before."""

    trial: int
    operator: str
    score: float


class LessonSummary:
    """The summary of a run so far.

    Args:
        problem: that it solves.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.trials = 0
        self._best = Best()
        self.steps: list[BestStep] = []
        """The latest ones."""
        self.reasons: Counter[str] = Counter()
        """Why programs were rejected."""

    @property
    def best(self) -> Trial | None:
        return self._best.trial

    def add(self, trial: Trial) -> None:
        """Follow a commit."""
        self.trials += 1
        if trial.evaluation.status == "rejected":
            self._count_reason(trial.evaluation.reason)
        if self._best.see(trial) and trial.score is not None:
            operator = trial.candidate.operator if trial.candidate else "-"
            self.steps = [*self.steps, BestStep(trial.number, operator, trial.score)][-MOST_STEPS:]

    def describe(self) -> dict[str, str]:
        """Describe the run in words, by the names of a template's placeholders."""
        steps = "\n".join(f"trial {each.trial}: {each.score:.6g} by {each.operator}" for each in self.steps)
        rejected = "\n".join(f"{count} times: {reason}" for reason, count in self.reasons.most_common(MOST_TOLD))
        return {
            "problem": f"{self.problem.name}\n{self.problem.statement}",
            "objective": self.problem.objective,
            "trials": str(self.trials),
            "best": self._describe_best(),
            "steps": steps,
            "rejected": rejected,
        }

    def _describe_best(self) -> str:
        if self.best is None or self.best.candidate is None:
            return ""
        texts = "\n".join(f"{path}:\n{text}" for path, text in sorted(self.best.candidate.files.items()))
        return f"score {self.best.score:.6g}\n{texts}\n{self.best.evaluation.feedback}"

    def _count_reason(self, reason: str) -> None:
        told = " ".join(reason.split())[:LONGEST_REASON]
        if told in self.reasons or len(self.reasons) < MOST_REASONS:
            self.reasons[told] += 1
