"""Thirty-two circles in the unit square."""

# EVOLVE-BLOCK-START
import numpy as np

WIDE = (6, 5, 6, 5, 6, 4)
SHIFT = 0.02


def place_circles():
    """Return 32 rows x, y, radius of circles that lie within the unit square and do not overlap."""
    centres = []
    for row, count in enumerate(WIDE):
        places = (np.arange(count) + 0.5) / count
        centres.extend((x, (row + 0.5) / len(WIDE) + SHIFT * (row % 2)) for x in places)
    centres = np.array(centres)
    radii = np.minimum(centres, 1 - centres).min(axis=1)
    for one in range(len(centres)):
        for other in range(one):
            gap = np.linalg.norm(centres[one] - centres[other])
            if radii[one] + radii[other] > gap:
                radii[one] = radii[other] = min(radii[one], radii[other], gap / 2)
    return np.column_stack([centres, radii * 0.999])


# EVOLVE-BLOCK-END
