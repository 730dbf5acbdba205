"""Packing items into bins one after the other, when nothing is known of those to come.

`prioritise(item, rooms)` returns a number for each of the bins that the item fits into, by the room that is left in
them, full or empty; the item goes to the first bin with the highest. There are 3 instances of 5,000 items with sizes by
Weibull's distribution (scale 45, shape 3) in bins of 100, as in Romera-Paredes et al. 2023; the score is 1.0068, the
bins in units of the bound that they reached, divided by ours. The final evaluation has other instances. A program has
20 seconds, one core and NumPy.
"""

import importlib.util

import numpy as np

ROOM = 100
ITEMS = 5000
BEST_KNOWN = 1.0068


def evaluate(program_path, seeds=(1, 2, 3)):
    """Return the score of a program's priorities."""
    prioritise = load(program_path).prioritise
    excess = float(np.mean([count_bins(prioritise, items) / bound(items) for items in map(draw, seeds)]))
    return {"combined_score": BEST_KNOWN / excess, "excess": excess - 1}


def draw(seed):
    """Return the sizes of an instance's items."""
    sizes = 45 * np.random.default_rng(seed).weibull(3, ITEMS)
    return np.clip(np.round(sizes), 1, ROOM).astype(int)


def bound(items):
    """Return the fewest bins by volume."""
    return int(np.ceil(items.sum() / ROOM))


def count_bins(prioritise, items):
    """Return how many bins the items take; of bins that are empty, only one is offered."""
    rooms, used = np.full(len(items), ROOM), 0
    for item in items.tolist():
        fitting = np.flatnonzero(rooms[: used + 1] >= item)
        priorities = np.asarray(prioritise(item, rooms[fitting].copy()), dtype=float)
        if priorities.shape != fitting.shape or np.isnan(priorities).any():
            raise ValueError(
                f"prioritise returned an array of shape {priorities.shape} for {len(fitting)} bins, or a NaN"
            )
        chosen = fitting[int(np.argmax(priorities))]
        used += chosen == used
        rooms[chosen] -= item
    return int(used)


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
