"""Success of operators, models and the members of a composed search, and its cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from evograft.log.records import BillableCall
from evograft.log.spending import Spending
from evograft.text.escapes import sanitize
from evograft_hookspecs import Trial


@dataclass
class Success:
    """Trials of an operator, of a model, of the two together, or of a member of a composed search."""

    operator: str = ""
    """Empty: whichever."""
    model: str = ""
    """Empty: whichever, or none."""
    member: str = ""
    """Empty: whichever, or none."""
    trials: int = 0
    ok: int = 0
    """Valid ones, duplicates of valid ones included."""
    improved: int = 0
    """Trials that scored higher than the best of their parents."""
    became_best: int = 0
    """Trials that scored higher than all before them."""
    rejected: int = 0
    pruned: int = 0
    failed: int = 0
    duplicates: int = 0
    repaired: int = 0
    """Valid trials whose first candidate was rejected and repaired."""
    best: float | None = None
    spent: Spending = field(default_factory=Spending)

    def add(self, trial: Trial, *, improved: bool, is_best: bool, calls: Iterable[BillableCall]) -> None:
        status, score = trial.evaluation.status, trial.score
        self.trials += 1
        self.ok += status == "ok"
        self.rejected += status == "rejected"
        self.pruned += status == "pruned"
        self.failed += status == "failed"
        self.improved += improved
        self.became_best += is_best
        self.duplicates += trial.duplicate_of is not None
        self.repaired += status == "ok" and bool(trial.attempts)
        if score is not None and (self.best is None or score > self.best):
            self.best = score
        for call in calls:
            self.spent.add(call)


class Successes:
    """A fold over commits: by operator, by model, by both, and by member of a composed search."""

    def __init__(self, *, score_of: Callable[[int], float | None]) -> None:
        self._score_of = score_of
        self._operators: dict[str, Success] = {}
        self._models: dict[str, Success] = {}
        self._pairs: dict[tuple[str, str], Success] = {}
        self._members: dict[str, Success] = {}

    def add(self, trial: Trial, operator: str, model: str, *, is_best: bool, calls: Iterable[BillableCall]) -> None:
        calls, improved = tuple(calls), self._has_improved(trial)
        rows = [self._operators.setdefault(operator, Success(operator=operator))]
        if model:
            rows.append(self._models.setdefault(model, Success(model=model)))
            rows.append(self._pairs.setdefault((operator, model), Success(operator, model)))
        if trial.selection is not None and trial.selection.member:
            member = sanitize(trial.selection.member, 60)
            rows.append(self._members.setdefault(member, Success(member=member)))
        for row in rows:
            row.add(trial, improved=improved, is_best=is_best, calls=calls)

    @property
    def operators(self) -> tuple[Success, ...]:
        return _sort_by_use(self._operators.values())

    @property
    def models(self) -> tuple[Success, ...]:
        return _sort_by_use(self._models.values())

    @property
    def members(self) -> tuple[Success, ...]:
        """Empty where there is one search."""
        return _sort_by_use(self._members.values())

    @property
    def pairs(self) -> tuple[Success, ...]:
        """Empty where they would say no more than the others."""
        several = len(self._models) > 1 and len({operator for operator, _ in self._pairs}) > 1
        return _sort_by_use(self._pairs.values()) if several else ()

    def _has_improved(self, trial: Trial) -> bool:
        if trial.score is None or trial.candidate is None:
            return False
        scores = [score for number in trial.candidate.parents if (score := self._score_of(number)) is not None]
        return bool(scores) and trial.score > max(scores)


def _sort_by_use(rows: Iterable[Success]) -> tuple[Success, ...]:
    return tuple(sorted(rows, key=lambda row: (-row.trials, row.operator, row.model, row.member)))
