"""A step function that overlaps little with what it leaves."""

import numpy as np


def halve(heights):
    """Return heights between 0 and 1 with the mean 1/2."""
    heights = np.clip(heights, 0, 1)
    if heights.mean() < 0.5:
        return 1 - halve(1 - heights)
    return heights * (0.5 / heights.mean())


# EVOLVE-BLOCK-START
SHAPE = (0.2, 0.4, 0.6, 0.7, 0.8, 0.9)


def find_heights():
    """Return heights on equal parts of [0, 2]: from 2 to 1,000 numbers between 0 and 1, with the mean 1/2."""
    return halve([*SHAPE, *reversed(SHAPE)])


# EVOLVE-BLOCK-END
