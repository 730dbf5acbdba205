"""Heilbronn's problem in a triangle: place 11 points so that the smallest triangle among them is as large as possible.

`place_points()` returns 11 points of the triangle with the corners (0, 0), (1, 0) and (0, 1). The score is the smallest
area of a triangle of three of them, relative to the area of the whole triangle, divided by 0.0365, which AlphaEvolve
reached (Novikov et al. 2025, appendix B.9). A program has 20 seconds, one core, NumPy and SciPy.
"""

import importlib.util
from itertools import combinations

import numpy as np

COUNT = 11
BEST_KNOWN = 0.0365
SLACK = 1e-9


def evaluate(program_path):
    """Return the score of the points that a program places."""
    points = np.asarray(load(program_path).place_points(), dtype=float)
    if points.shape != (COUNT, 2) or not np.isfinite(points).all():
        raise ValueError(f"place_points returned an array of shape {points.shape}, not {COUNT} finite points")
    if points.min() < -SLACK or points.sum(axis=1).max() > 1 + SLACK:
        raise ValueError("a point lies outside of the triangle")
    share = min(abs(cross(points[list(three)])) for three in combinations(range(COUNT), 3))
    return {"combined_score": share / BEST_KNOWN, "smallest_share": share}


def cross(corners):
    """Return twice the area of a triangle, which is its share of one with area 1/2."""
    first, second = corners[1] - corners[0], corners[2] - corners[0]
    return float(first[0] * second[1] - first[1] * second[0])


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
