"""Which vectors a cap set takes first."""

# EVOLVE-BLOCK-START
import numpy as np

WEIGHTS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
ZEROS = 0.5
PAIRS = 0.1


def prioritise(vectors):
    """Return a number for each row of 0, 1 and 2; the highest one that is allowed is taken first."""
    zeros = (vectors == 0).sum(axis=1)
    pairs = (vectors == vectors[:, ::-1]).sum(axis=1)
    return (vectors @ np.array(WEIGHTS)) % 1.0 + ZEROS * zeros + PAIRS * pairs


# EVOLVE-BLOCK-END
