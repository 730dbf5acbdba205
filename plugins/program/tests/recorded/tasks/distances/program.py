"""Sixteen points in the plane, all about as far from one another as can be."""

# EVOLVE-BLOCK-START
import numpy as np


def place_points():
    """Return 16 points of the plane, as an array of shape (16, 2)."""
    return np.array([(x, y) for x in range(4) for y in range(4)], dtype=float)


# EVOLVE-BLOCK-END
