"""When further runs of a program cannot change whether its mean beats a score."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from .distributions import normal_tail, student_quantile

BEATS, FAILS, UNCERTAIN = "beats", "fails", "uncertain"
NO_SPREAD = 1e-10


@dataclass
class EarlyStopDecision:
    """Whether there are runs enough, and what they show."""

    should_stop: bool
    prediction: str
    confidence: float
    trials_used: int
    reason: str | None = None


class EarlyStopMethod:
    """A rule for stopping; `check` is given all scores so far and the one to beat."""

    @property
    def name(self) -> str:
        raise NotImplementedError

    def check(self, scores: list[float], threshold: float) -> EarlyStopDecision:
        raise NotImplementedError

    def reset(self) -> None:
        """Forget earlier programs."""


class NoEarlyStop(EarlyStopMethod):
    """Never stops."""

    name = "no_early_stop"

    def check(self, scores: list[float], threshold: float) -> EarlyStopDecision:  # noqa: ARG002 - as all methods
        return EarlyStopDecision(False, UNCERTAIN, 0.5, len(scores), "early stopping disabled")


class _MeanTest(EarlyStopMethod):
    """A test of the mean of normally distributed scores."""

    def __init__(self, min_trials: int) -> None:
        self.min_trials = min_trials

    def check(self, scores: list[float], threshold: float) -> EarlyStopDecision:
        count = len(scores)
        if count < self.min_trials:
            return EarlyStopDecision(False, UNCERTAIN, 0.5, count, f"need at least {self.min_trials} trials")
        mean = statistics.fmean(scores)
        error = statistics.stdev(scores) / math.sqrt(count) if count > 1 else self.error_of_one
        if error < NO_SPREAD:
            side = BEATS if mean > threshold else FAILS
            return EarlyStopDecision(True, side, 1.0, count, "all scores are equal")
        prediction, confidence, reason = self.test(mean, error, count, threshold)
        return EarlyStopDecision(prediction != UNCERTAIN, prediction, confidence, count, reason)

    error_of_one = 1.0
    """The standard error of a single score."""

    def test(self, mean: float, error: float, count: int, threshold: float) -> tuple[str, float, str]:
        """Return what the scores show, how surely, and why."""
        raise NotImplementedError


class BayesianEarlyStop(_MeanTest):
    """Stops when it is improbable that the mean beats the score, or that it does not."""

    def __init__(self, prob_cutoff: float = 0.05, min_trials: int = 2) -> None:
        super().__init__(min_trials)
        self.prob_cutoff = prob_cutoff

    @property
    def name(self) -> str:
        return f"bayesian_p{self.prob_cutoff}"

    def test(self, mean: float, error: float, count: int, threshold: float) -> tuple[str, float, str]:  # noqa: ARG002 - as all tests
        beats = normal_tail((threshold - mean) / error)
        reason = f"P(beats)={beats:.4f}, cut off at {self.prob_cutoff}"
        if beats < self.prob_cutoff:
            return FAILS, 1 - beats, reason
        return (BEATS if beats > 1 - self.prob_cutoff else UNCERTAIN), beats, reason


class ConfidenceIntervalEarlyStop(_MeanTest):
    """Stops when the confidence interval of the mean lies on one side of the score."""

    error_of_one = math.nan

    def __init__(self, confidence: float = 0.90, min_trials: int = 3) -> None:
        super().__init__(min_trials)
        self.confidence = confidence

    @property
    def name(self) -> str:
        return f"ci_{int(self.confidence * 100)}"

    def test(self, mean: float, error: float, count: int, threshold: float) -> tuple[str, float, str]:
        if count == 1:
            return UNCERTAIN, self.confidence, "one score has no interval"
        margin = student_quantile((1 + self.confidence) / 2, count - 1) * error
        reason = f"the interval of the mean is {mean - margin:.4f} to {mean + margin:.4f}, the threshold {threshold}"
        if mean + margin < threshold:
            return FAILS, self.confidence, reason
        return (BEATS if mean - margin > threshold else UNCERTAIN), self.confidence, reason


class HybridEarlyStop(_MeanTest):
    """Stops when the confidence interval lies below the score, else as the Bayesian method does."""

    error_of_one = math.nan

    def __init__(self, prob_cutoff: float = 0.05, ci_confidence: float = 0.90, min_trials: int = 3) -> None:
        super().__init__(min_trials)
        self._interval = ConfidenceIntervalEarlyStop(ci_confidence, min_trials)
        self._bayesian = BayesianEarlyStop(prob_cutoff, min_trials)

    @property
    def name(self) -> str:
        return "hybrid"

    def test(self, mean: float, error: float, count: int, threshold: float) -> tuple[str, float, str]:
        by_interval = self._interval.test(mean, error, count, threshold)
        return by_interval if by_interval[0] == FAILS else self._bayesian.test(mean, error, count, threshold)


def create_early_stop_method(
    method: str = "none", prob_cutoff: float = 0.05, ci_confidence: float = 0.90, min_trials: int = 3
) -> EarlyStopMethod:
    """Return a method by its name."""
    name = method.lower()
    if name in ("none", "no_early_stop"):
        return NoEarlyStop()
    if name == "bayesian":
        return BayesianEarlyStop(prob_cutoff, min_trials)
    if name in ("ci", "confidence_interval"):
        return ConfidenceIntervalEarlyStop(ci_confidence, min_trials)
    if name == "hybrid":
        return HybridEarlyStop(prob_cutoff, ci_confidence, min_trials)
    raise ValueError(f"no early stop method {method!r}: there are none, bayesian, ci and hybrid")
