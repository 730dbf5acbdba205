"""How far each budget of a run is used."""

from __future__ import annotations

from dataclasses import dataclass

from evograft.log.history import RunHistory


@dataclass(frozen=True)
class BudgetUse:
    """What is used of one budget."""

    name: str
    """Its key in the pipeline."""
    used: float
    limit: float

    @property
    def share(self) -> float:
        return self.used / self.limit


def find_binding(history: RunHistory, elapsed: float) -> BudgetUse | None:
    """Return the budget that is used further than that of trials, and most of all; `None`: there is none.

    Args:
        history: of the run.
        elapsed: the wall seconds that it has worked.
    """
    budget, total = history.settings.budget, history.spending.total
    limits = {
        "seconds": (elapsed, budget.seconds),
        "dollars": (total.dollars, budget.dollars),
        "tokens": (total.tokens, budget.tokens),
        "calls": (total.answered, budget.calls),
    }
    uses = [BudgetUse(name, used, limit) for name, (used, limit) in limits.items() if limit is not None]
    furthest = max(uses, key=lambda use: use.share, default=None)
    trials = history.trials / history.limit if history.limit else 0.0
    return furthest if furthest is not None and furthest.share > trials else None
