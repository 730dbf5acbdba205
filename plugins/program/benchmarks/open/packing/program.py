"""Which bin an item goes to, when nothing is known of those to come."""

# EVOLVE-BLOCK-START
import numpy as np

TIGHT = 1.0
NEARLY = 0.0
CLOSE = 12.0
REGRET = 0.0
AWKWARD = 20.0


def prioritise(item, rooms):
    """Return a number for each bin that the item fits into, given the room in each; the highest one is taken."""
    left = rooms - item
    worth = -TIGHT * left
    worth = worth + NEARLY * np.exp(-left / CLOSE)
    return worth - REGRET * np.exp(-((left - AWKWARD) ** 2) / 50)


# EVOLVE-BLOCK-END
