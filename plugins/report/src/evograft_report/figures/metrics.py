"""The metrics of the best trial, how they came about over the new bests, and how they ranged over the run."""

from __future__ import annotations

from dataclasses import dataclass

from evograft.text.escapes import sanitize
from evograft_hookspecs import Trial

MOST_METRICS = 40
MOST_STEPS = 6


@dataclass(frozen=True)
class MetricRow:
    """One metric."""

    name: str
    course: tuple[float | None, ...]
    """Its values in the trials of `Metrics.trials`; `None` where one has no such metric."""
    lowest: float
    """The lowest value of all valid trials."""
    highest: float


@dataclass(frozen=True)
class Metrics:
    """A table of the best trial's metrics."""

    trials: tuple[int, ...]
    """New bests spread over the run, the first and the last among them."""
    rows: tuple[MetricRow, ...]
    left_out: int
    """Metrics of the best trial that are not shown."""


class MetricFold:
    """Gathers metrics of valid trials, in the order of their commits."""

    def __init__(self) -> None:
        self._bests: list[Trial] = []
        self._ranges: dict[str, tuple[float, float]] = {}

    def add(self, trial: Trial, *, is_best: bool) -> None:
        if trial.score is None:
            return
        if is_best:
            self._bests.append(trial)
        for name, value in trial.evaluation.metrics.items():
            lowest, highest = self._ranges.get(name, (value, value))
            self._ranges[name] = (min(lowest, value), max(highest, value))

    def metrics(self) -> Metrics | None:
        """Return the table; `None` if the best trial has no metrics."""
        names = list(self._bests[-1].evaluation.metrics) if self._bests else []
        if not names:
            return None
        shown = _spread(self._bests)
        rows = tuple(
            MetricRow(
                sanitize(name, 100),
                tuple(trial.evaluation.metrics.get(name) for trial in shown),
                *self._ranges[name],
            )
            for name in names[:MOST_METRICS]
        )
        return Metrics(tuple(trial.number for trial in shown), rows, max(0, len(names) - MOST_METRICS))


def _spread(trials: list[Trial]) -> list[Trial]:
    """Return at most `MOST_STEPS` trials, evenly spread, with the first and the last."""
    last = len(trials) - 1
    steps = min(MOST_STEPS, len(trials)) - 1
    return [trials[round(step * last / steps)] for step in range(steps + 1)] if steps else trials[-1:]
