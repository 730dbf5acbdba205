"""Fourteen points in space, all about as far from one another as can be."""

# EVOLVE-BLOCK-START
import numpy as np

CUBE = 0.8
AXIS = 1.2
TILT = 0.1


def place_points():
    """Return 14 points of space, as an array of shape (14, 3)."""
    corners = [(x, y, z) for x in (-CUBE, CUBE) for y in (-CUBE, CUBE) for z in (-CUBE, CUBE)]
    centres = [tuple(AXIS * sign * (axis == place) for axis in range(3)) for place in range(3) for sign in (-1, 1)]
    points = np.array([*corners, *centres])
    return points + TILT * points[:, [1, 2, 0]]


# EVOLVE-BLOCK-END
