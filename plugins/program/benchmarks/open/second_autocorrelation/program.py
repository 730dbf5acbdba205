"""A step function whose convolution with itself is flat."""

# EVOLVE-BLOCK-START
import numpy as np

SHAPE = (1.5, 1.2, 0.8, 0.8, 0.6, 0.5, 0.6, 0.7, 0.4, 0.3)


def find_heights():
    """Return the heights of a step function on equal parts of [-1/4, 1/4]: from 2 to 1,000 numbers, none negative."""
    return np.clip(SHAPE, 0, None)


# EVOLVE-BLOCK-END
