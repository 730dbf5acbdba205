"""Comparisons of a candidate's values with the target, on all graphs at once."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

_EPSILON = float(np.finfo(np.float64).eps)


def rank(values: Vector) -> Vector:
    """Ranks from 1, ties sharing their mean rank; along the last axis."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    new = np.empty(ordered.shape, dtype=bool)
    new[..., 0] = True
    np.not_equal(ordered[..., 1:], ordered[..., :-1], out=new[..., 1:])
    places = np.arange(1.0, ordered.shape[-1] + 1)
    if new.all():
        shared = np.broadcast_to(places, ordered.shape)
    else:
        first = np.maximum.accumulate(np.where(new, places, 0.0), axis=-1)
        ends = np.concatenate([new[..., 1:], np.ones((*new.shape[:-1], 1), dtype=bool)], axis=-1)
        last = np.minimum.accumulate(np.where(ends, places, np.inf)[..., ::-1], axis=-1)[..., ::-1]
        shared = (first + last) / 2
    result = np.empty(ordered.shape)
    np.put_along_axis(result, order, shared, axis=-1)
    return result


def center(values: Vector) -> Vector:
    """Shifted to mean 0 and scaled to length 1 along the last axis; all zeros where the values are constant."""
    if values.ndim == 1:
        return _centred_row(values)
    largest = np.abs(values).max(axis=-1, keepdims=True)
    # The squares of large values would overflow.
    scaled = np.divide(values, largest, out=np.zeros_like(values), where=largest > 0)
    shifted: Vector = scaled - scaled.mean(axis=-1, keepdims=True)
    lengths = np.sqrt((shifted * shifted).sum(axis=-1, keepdims=True))
    flat = lengths <= values.shape[-1] * _EPSILON
    result: Vector = np.divide(shifted, lengths, out=np.zeros_like(shifted), where=~flat)
    return result


def _centred_row(values: Vector) -> Vector:
    """Center one row: the same, to the last bit, in half the time, without masks and kept dimensions."""
    scale = np.maximum.reduce(np.abs(values))
    if not scale > 0:
        return np.zeros_like(values)
    scaled = values / scale
    shifted: Vector = scaled - np.add.reduce(scaled) / len(values)
    length = math.sqrt(np.add.reduce(shifted * shifted))
    if length <= len(values) * _EPSILON:
        return np.zeros_like(values)
    return shifted / length


def pearson(a: Vector, b: Vector) -> float:
    """Return the correlation, 0 if one side is constant."""
    return clip_correlation(float((center(a) * center(b)).sum()))


def spearman(a: Vector, b: Vector) -> float:
    """Return the rank correlation, signed; 0 if one side is constant."""
    return clip_correlation(float(rank_profile(a) @ rank_profile(b)))


def clip_correlation(correlation: float) -> float:
    """Bound a correlation, which rounding may carry past the ends."""
    return min(1.0, max(-1.0, correlation))


def find_strongest(correlations: Vector) -> float:
    """Return the largest of a few, whatever its sign."""
    return float(max(map(abs, correlations.tolist())))


def rank_profile(values: Vector) -> Vector:
    """Centred ranks: the product of two profiles is the rank correlation, of one with itself 1 (0 for constants)."""
    order = values.argsort()
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        return center(rank(values))
    profile = np.empty(len(values))
    profile[order] = untied_profile(len(values))
    return profile


def rank_profiles(values: Matrix) -> Matrix:
    """Return the rank profile of each row."""
    count = values.shape[1]
    # Places in the whole matrix: NumPy's functions along an axis take longer. Where there are ties, no order counts.
    order = values.argsort(axis=1)
    order += np.arange(0, values.size, count)[:, None]
    ordered = values.take(order)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        return center(rank(values))
    profiles = np.empty(values.shape)
    profiles.ravel()[order] = untied_profile(count)
    return profiles


@lru_cache(maxsize=64)
def untied_profile(count: int) -> Vector:
    """Return the rank profile of a given number of rising values."""
    return center(np.arange(float(count)))
