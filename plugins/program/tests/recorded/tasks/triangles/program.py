"""Eleven points in a triangle, none three of which lie close to a line."""

# EVOLVE-BLOCK-START
import numpy as np


def place_points():
    """Return 11 points of the triangle with the corners (0, 0), (1, 0) and (0, 1), as an array of shape (11, 2)."""
    rng = np.random.default_rng(0)
    points = rng.random((11, 2))
    outside = points.sum(axis=1) > 1
    points[outside] = 1 - points[outside]
    return points


# EVOLVE-BLOCK-END
