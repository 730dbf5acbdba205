"""Thirty-two circles in the unit square, the sum of whose radii is as large as possible.

`place_circles()` returns 32 rows x, y, radius. Circles lie within the square and do not overlap, by more than 1e-9; the
score is the sum of the radii divided by 2.937, which AlphaEvolve reached (Novikov et al. 2025, appendix B). A program
has 20 seconds, one core, NumPy and SciPy.
"""

import importlib.util

import numpy as np
from scipy.spatial.distance import pdist

CIRCLES = 32
SLACK = 1e-9
BEST_KNOWN = 2.937


def evaluate(program_path):
    """Return the score of the circles that a program places."""
    circles = np.asarray(load(program_path).place_circles(), dtype=float)
    if circles.shape != (CIRCLES, 3) or not np.isfinite(circles).all():
        raise ValueError(
            f"place_circles returned an array of shape {circles.shape}, not ({CIRCLES}, 3) with finite numbers"
        )
    centres, radii = circles[:, :2], circles[:, 2]
    if radii.min() < 0:
        raise ValueError("a radius is negative")
    if (centres - radii[:, None]).min() < -SLACK or (centres + radii[:, None]).max() > 1 + SLACK:
        raise ValueError("a circle leaves the square")
    first, second = np.triu_indices(CIRCLES, 1)
    if (pdist(centres) - radii[first] - radii[second]).min() < -SLACK:
        raise ValueError("two circles overlap")
    total = float(radii.sum())
    return {"combined_score": total / BEST_KNOWN, "sum_of_radii": total}


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
