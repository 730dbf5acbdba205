"""Fourteen points in space, all about as far from one another as can be.

`place_points()` returns 14 points of space. The ratio is the largest distance of two of them, divided by the smallest;
the score is the root of 4.165, the ratio that AlphaEvolve reached (Novikov et al. 2025, appendix B), divided by it. A
program has 20 seconds, one core, NumPy and SciPy.
"""

import importlib.util

import numpy as np
from scipy.spatial.distance import pdist

POINTS = 14
BEST_KNOWN = 4.165**0.5


def evaluate(program_path):
    """Return the score of the points that a program places."""
    points = np.asarray(load(program_path).place_points(), dtype=float)
    if points.shape != (POINTS, 3) or not np.isfinite(points).all():
        raise ValueError(
            f"place_points returned an array of shape {points.shape}, not ({POINTS}, 3) with finite numbers"
        )
    distances = pdist(points)
    if distances.min() <= 0:
        raise ValueError("two points are the same")
    ratio = float(distances.max() / distances.min())
    return {"combined_score": BEST_KNOWN / ratio, "ratio": ratio}


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
