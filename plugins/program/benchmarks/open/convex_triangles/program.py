"""Thirteen points, no three of which lie close to a line."""

# EVOLVE-BLOCK-START
import numpy as np

RINGS = (6, 5, 2)
RADII = (1.0, 0.6, 0.2)
TURNS = (0.0, 0.3, 0.7)


def place_points():
    """Return 13 points of the plane, as an array of shape (13, 2)."""
    points = []
    for count, radius, turn in zip(RINGS, RADII, TURNS, strict=False):
        angles = turn + 2 * np.pi * np.arange(count) / count
        points.extend(zip(radius * np.cos(angles), radius * np.sin(angles), strict=False))
    return np.array(points)


# EVOLVE-BLOCK-END
