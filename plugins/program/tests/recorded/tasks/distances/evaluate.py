"""Place 16 points in the plane so that the largest distance between two is as small a multiple of the smallest as can be.

`place_points()` returns 16 points of the plane. The score is 12.88926611203463, the square of the smallest ratio that
AlphaEvolve reached (Novikov et al. 2025, appendix B.8), divided by the square of the ratio of the points. A program has
20 seconds, one core, NumPy and SciPy.
"""

import importlib.util

import numpy as np

COUNT = 16
BEST_KNOWN = 12.88926611203463


def evaluate(program_path):
    """Return the score of the points that a program places."""
    points = np.asarray(load(program_path).place_points(), dtype=float)
    if points.shape != (COUNT, 2) or not np.isfinite(points).all():
        raise ValueError(f"place_points returned an array of shape {points.shape}, not {COUNT} finite points")
    first, second = np.triu_indices(COUNT, k=1)
    squares = np.square(points[first] - points[second]).sum(axis=1)
    if squares.min() <= 0:
        raise ValueError("two points are the same")
    ratio = float(squares.max() / squares.min())
    return {"combined_score": BEST_KNOWN / ratio, "squared_ratio": ratio}


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
