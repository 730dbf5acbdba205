"""The fronts of a run: of several objectives, with where all other trials lie, and of cases."""

from __future__ import annotations

from dataclasses import dataclass

from evograft.api import CaseFront, CaseFrontTrial, FrontTrial, ParetoFront
from evograft.text.escapes import sanitize
from evograft_hookspecs import Trial

MOST_ROWS = 100
MOST_CASES = 200


@dataclass(frozen=True)
class FrontFigures:
    """What the objectives of a run's trials add up to."""

    names: tuple[str, ...]
    """The objectives, in the evaluator's order."""
    rows: tuple[FrontTrial, ...]
    """Trials that no other one beats in all objectives, the highest score first."""
    left_out: int
    """Further ones."""
    places: tuple[tuple[float, float], ...]
    """The first two objectives of every trial that has them."""


class FrontFold:
    """A fold over commits."""

    def __init__(self) -> None:
        self._front = ParetoFront()
        self._names: dict[str, None] = {}
        self._pairs: list[tuple[float, float]] = []

    def add(self, trial: Trial) -> None:
        """Add a trial that is committed now."""
        self._front.add(trial)
        objectives = trial.evaluation.objectives
        if trial.score is None or not objectives:
            return
        self._names.update(dict.fromkeys(objectives))
        first = list(self._names)[:2]
        if all(name in objectives for name in first) and len(first) > 1:
            self._pairs.append((objectives[first[0]], objectives[first[1]]))

    def figures(self) -> FrontFigures | None:
        """Return the front; `None`: the run has fewer than two objectives."""
        trials = self._front.trials
        if not trials:
            return None
        names = tuple(sanitize(name, 60) for name in self._names)
        rows = tuple(
            FrontTrial(each.trial, each.score, {sanitize(name, 60): value for name, value in each.objectives.items()})
            for each in trials[:MOST_ROWS]
        )
        return FrontFigures(names, rows, len(trials) - len(rows), tuple(self._pairs))


@dataclass(frozen=True)
class CaseHolders:
    """A case, and the trials that are the best on it."""

    name: str
    trials: tuple[int, ...]
    """Of those that the frontier shows."""
    is_alone: bool
    """Whether no second trial is as good, shown or not."""


@dataclass(frozen=True)
class CaseFrontFigures:
    """Who is the best on which case."""

    rows: tuple[CaseFrontTrial, ...]
    """Those that are the best on most cases first."""
    left_out: int
    """Further ones."""
    cases: tuple[CaseHolders, ...]
    """In the evaluator's order."""
    cases_left_out: int
    """Further ones, which the rows count."""


class CaseFrontFold:
    """A fold over commits."""

    def __init__(self) -> None:
        self._front = CaseFront()

    def add(self, trial: Trial) -> None:
        """Add a trial that is committed now."""
        self._front.add(trial)

    def figures(self) -> CaseFrontFigures | None:
        """Return the frontier; `None`: no selection went by cases."""
        trials, names = self._front.trials, self._front.cases
        if not trials:
            return None
        rows = trials[:MOST_ROWS]
        shown = {row.trial for row in rows}
        return CaseFrontFigures(
            rows=rows,
            left_out=len(trials) - len(rows),
            cases=tuple(self._describe(name, shown) for name in names[:MOST_CASES]),
            cases_left_out=max(0, len(names) - MOST_CASES),
        )

    def _describe(self, name: str, shown: set[int]) -> CaseHolders:
        holders = self._front.find_holders(name)
        return CaseHolders(sanitize(name, 60), tuple(each for each in holders if each in shown), len(holders) == 1)
