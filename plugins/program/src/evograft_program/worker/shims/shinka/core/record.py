"""What is known of the runs so far, and whether there have to be more."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from ..utils.eval_stop import EarlyStopDecision, EarlyStopMethod

PREVIEW = 2


class EvaluationRecord:
    """Results, seconds and verdicts of runs, in order.

    Args:
        validate: says whether a result is valid, and what is wrong with it.
        stopper: says whether there are runs enough; `None`: there never are.
        threshold: the score that has to be beaten, where there is a stopper.
        find_score: the score of a result, for the stopper; `None`: the result itself, or its `score`.
    """

    def __init__(
        self,
        validate: Callable[[Any], tuple[bool, str | None]] | None,
        stopper: EarlyStopMethod | None,
        threshold: float | None,
        find_score: Callable[[Any], float] | None,
    ) -> None:
        self._validate = validate
        self._stopper = stopper
        self._threshold = 0.0 if threshold is None else threshold
        self._find_score = find_score
        self._seconds: list[float] = []
        self._scores: list[float] = []
        self._decision: EarlyStopDecision | None = None
        self.results: list[Any] = []
        self.invalid = 0
        self.errors: list[str] = []
        """What was wrong with results, each once."""

    @property
    def first_error(self) -> str | None:
        return f"Validation failed: {self.errors[0]}" if self.errors else None

    def add(self, result: Any, seconds: float) -> bool:
        """Record a run, and return whether it may be the last."""
        self.results.append(result)
        self._seconds.append(seconds)
        if self._validate is not None:
            valid, error = self._validate(result)
            self.invalid += not valid
            if not valid and error and error not in self.errors:
                self.errors.append(error)
        return self._is_enough(result)

    def describe(self) -> dict[str, Any]:
        """Return metrics where nobody makes them."""
        return {
            "num_successful_runs": len(self.results),
            "first_run_result_type": str(type(self.results[0])) if self.results else "N/A",
            "raw_results_preview": str(self.results[:PREVIEW]) if self.results else "N/A",
        }

    def measure(self, requested: int) -> dict[str, Any]:
        """Return the metrics that are added to those of the results."""
        metrics: dict[str, Any] = {
            "execution_time_mean": statistics.fmean(self._seconds) if self._seconds else 0.0,
            "execution_time_std": statistics.pstdev(self._seconds) if self._seconds else 0.0,
        }
        if self._validate is not None:
            metrics["num_valid_runs"] = len(self.results) - self.invalid
            metrics["num_invalid_runs"] = self.invalid
            metrics["all_validation_errors"] = self.errors
        if self._stopper is not None:
            metrics["early_stop"] = self._describe_stop(self._stopper.name, requested)
        return metrics

    def _is_enough(self, result: Any) -> bool:
        score = None if self._stopper is None else self._score(result)
        if self._stopper is None or score is None:
            return False
        self._scores.append(score)
        self._decision = self._stopper.check(self._scores, self._threshold)
        if self._decision.should_stop:
            print(f"Early stop after {len(self.results)} runs: {self._decision.reason}")  # noqa: T201 - feedback
        return self._decision.should_stop

    def _score(self, result: Any) -> float | None:
        if self._find_score is not None:
            try:
                return self._find_score(result)
            except Exception as error:  # noqa: BLE001 - without a score there is one run more, and no harm
                print(f"Warning: no score for early stopping: {error}")  # noqa: T201 - feedback
                return None
        value = result.get("score") if isinstance(result, dict) else result
        return float(value) if isinstance(value, (int, float)) else None

    def _describe_stop(self, method: str, requested: int) -> dict[str, Any]:
        decision = self._decision or EarlyStopDecision(False, "uncertain", 0.0, 0)
        return {
            "method": method,
            "threshold": self._threshold,
            "triggered": decision.should_stop,
            "runs_completed": len(self.results),
            "runs_requested": requested,
            "prediction": decision.prediction,
            "confidence": decision.confidence,
            "reason": decision.reason,
            "scores": self._scores,
        }
