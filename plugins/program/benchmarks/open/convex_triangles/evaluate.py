"""Heilbronn's problem in a convex region: thirteen points, no three of which make a small triangle.

`place_points()` returns 13 points of the plane. The ratio is the area of the smallest triangle of three of them,
divided by the area of their convex hull; the score is the ratio divided by 0.0309, which AlphaEvolve reached (Novikov
et al. 2025, appendix B). A program has 20 seconds, one core, NumPy and SciPy.
"""

import importlib.util
from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull, QhullError

POINTS = 13
BEST_KNOWN = 0.0309


def evaluate(program_path):
    """Return the score of the points that a program places."""
    points = np.asarray(load(program_path).place_points(), dtype=float)
    if points.shape != (POINTS, 2) or not np.isfinite(points).all():
        raise ValueError(
            f"place_points returned an array of shape {points.shape}, not ({POINTS}, 2) with finite numbers"
        )
    try:
        hull = ConvexHull(points).volume
    except QhullError:
        raise ValueError("all points lie on a line") from None
    a, b, c = (points[list(each)] for each in zip(*combinations(range(POINTS), 3), strict=False))
    cross = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    ratio = float(np.abs(cross).min() / 2 / hull)
    return {"combined_score": ratio / BEST_KNOWN, "ratio": ratio}


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
