"""A step function whose convolution with itself is nowhere large."""

# EVOLVE-BLOCK-START
import numpy as np


def find_heights():
    """Return the heights of a step function on equal parts of [-1/4, 1/4]: from 2 to 1,000 numbers, none negative."""
    return np.ones(50)


# EVOLVE-BLOCK-END
