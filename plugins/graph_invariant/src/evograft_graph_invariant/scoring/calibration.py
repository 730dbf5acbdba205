"""Calibrations: they turn a candidate's values, of which only the order is judged, into predictions of the target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evograft_graph_invariant.scoring.correlation import Vector, center, spearman

BEYOND = 10.0
"""Predictions lie within the range of the target on the graphs seen, made this many times as wide at both ends: a power
of a line may be anything where the line comes close to 0."""


@dataclass(frozen=True)
class Shape:
    """A function of the target that a candidate's values, or their logarithms, may be a line in."""

    of_target: Callable[[Vector], Vector]
    to_target: Callable[[Vector], Vector]
    formula: str
    """`to_target` in Python, of a number `line`, with names from `math`."""


SHAPES = (
    Shape(lambda target: target, lambda line: line, "line"),
    Shape(np.sqrt, np.square, "line ** 2"),
    Shape(np.log, np.exp, "exp(line)"),
    Shape(lambda target: target**-0.5, lambda line: line**-2.0, "line ** -2"),
    Shape(np.reciprocal, np.reciprocal, "1 / line"),
    Shape(lambda target: target**-2.0, lambda line: line**-0.5, "line ** -0.5"),
)
"""The first of them is for any target, all for those that are positive."""


def list_shapes(target: Vector) -> tuple[Shape, ...]:
    """Return the shapes that are defined for these values."""
    return SHAPES if target.min() > 0 else SHAPES[:1]


@dataclass(frozen=True)
class StraightCalibration:
    """A line through values and target in the form in which they are straightest."""

    is_logarithm: bool
    """Whether the line is in the values' logarithms."""
    shape: Shape
    slope: float
    intercept: float
    ends: tuple[float, float]
    """What the line is clipped to, the smaller one first."""

    def predict(self, values: Vector) -> Vector:
        """Return predictions of the target; NaN where there is no value."""
        with np.errstate(all="ignore"):
            form = np.log(np.abs(values)) if self.is_logarithm else values
            predicted = self.shape.to_target(np.clip(self.intercept + self.slope * form, *self.ends))
        return np.where(np.isfinite(values), predicted, np.nan)

    def write(self) -> tuple[str, str]:
        """Write the same as two lines of Python, of a number `value`: an assignment to `line`, and the prediction."""
        form = "log(abs(value))" if self.is_logarithm else "value"
        low, high = self.ends
        clipped = f"min(max({self.intercept:.8g} + {self.slope:.8g} * {form}, {low:.8g}), {high:.8g})"
        return f"line = {clipped}", self.shape.formula


def fit_straight(values: Vector, target: Vector) -> StraightCalibration:
    """Fit a line in the form of values and target that correlates best."""
    forms = [values]
    if values.min() > 0 or values.max() < 0:
        forms.append(np.log(np.abs(values)))
    shapes = list_shapes(target)
    shaped = np.stack([shape.of_target(target) for shape in shapes])
    correlations = np.abs(center(np.stack(forms)) @ center(shaped).T)
    form, place = np.unravel_index(correlations.argmax(), correlations.shape)
    slope, intercept = _fit_line(forms[form], shaped[place])
    outermost = shapes[place].of_target(_widen(target))
    ends = float(outermost.min()), float(outermost.max())
    return StraightCalibration(bool(form), shapes[place], slope, intercept, ends)


def _widen(target: Vector) -> Vector:
    low, high = float(target.min()), float(target.max())
    if low > 0:
        return np.array([low / BEYOND, high * BEYOND])
    return np.array([low - BEYOND * (high - low), high + BEYOND * (high - low)])


def _fit_line(x: Vector, y: Vector) -> tuple[float, float]:
    shifted = x - x.mean()
    spread = float((shifted * shifted).sum())
    slope = float((shifted * (y - y.mean())).sum()) / spread if spread else 0.0
    return slope, float(y.mean()) - slope * float(x.mean())


def fit_isotonic(values: Vector, target: Vector) -> Callable[[Vector], Vector]:
    """Fit the monotone step function with the least squared error, rising or falling as the ranks do."""
    from sklearn.isotonic import IsotonicRegression

    rising = spearman(values, target) >= 0
    predict: Callable[[Vector], Vector] = (
        IsotonicRegression(increasing=rising, out_of_bounds="clip").fit(values, target).predict
    )
    return predict


def rmse(predicted: Vector, target: Vector) -> float:
    return float(np.sqrt(((predicted - target) ** 2).mean()))


def mae(predicted: Vector, target: Vector) -> float:
    return float(np.abs(predicted - target).mean())


def median_error(predicted: Vector, target: Vector) -> float:
    """Return the median of the absolute errors relative to the target, where that is not 0; 0 if it is everywhere."""
    kept = target != 0
    return float(np.median(np.abs(predicted[kept] / target[kept] - 1.0))) if kept.any() else 0.0
