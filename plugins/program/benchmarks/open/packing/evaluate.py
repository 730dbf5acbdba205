"""Packing items into bins one after the other, when nothing is known of those to come.

`prioritise(item, rooms)` gets the size of an item, from 1 to 100, and an array of integers: the room that is left in
each open bin that the item fits into, in the order in which they were opened, and last 100, an empty bin. It returns as
many numbers; the item goes to the first bin with the highest. `prioritise(40, [55, 43, 100])` chooses among two open
bins and a new one. Its answer may depend on its arguments alone: a program that remembers earlier calls is refused.

There are 3 instances of 5,000 items with sizes by Weibull's distribution (scale 45, shape 3), rounded, in bins of 100,
as in Romera-Paredes et al. 2023. `excess` is the mean share of bins beyond the bound by volume; theirs is 0.0068, and
the score is 1.0068 / (1 + excess). One bin more or less is 0.00017. The final evaluation has other instances. A program
has 20 seconds for all instances, one core and NumPy.
"""

import importlib.util
import time

import numpy as np

ROOM = 100
ITEMS = 5000
BEST_KNOWN = 1.0068


def evaluate(program_path, seeds=(1, 2, 3)):
    """Load a program, let it pack every instance, and compare its bins with the bound."""
    prioritise = Memoryless(program_path)
    excess = float(np.mean([count_bins(prioritise, items) / bound(items) for items in map(draw, seeds)]))
    prioritise.require()
    return {"combined_score": BEST_KNOWN / excess, "excess": excess - 1, "seconds": round(time.process_time())}


class Memoryless:
    """A program's priorities, of which every 50th is asked for again, the last one first, of a program loaded anew."""

    def __init__(self, program_path):
        self._path = program_path
        self._prioritise = load(program_path).prioritise
        self._calls = 0
        self._kept = []

    def __call__(self, item, rooms):
        priorities = np.asarray(self._prioritise(item, rooms.copy()), dtype=float)
        if self._calls % 50 == 0:
            self._kept.append((item, rooms, priorities))
        self._calls += 1
        return priorities

    def require(self):
        again = load(self._path).prioritise
        for item, rooms, priorities in reversed(self._kept):
            if not np.array_equal(np.asarray(again(item, rooms.copy()), dtype=float), priorities):
                raise ValueError(
                    f"prioritise({item}, …) depends on earlier calls or on chance, not only on its arguments"
                )


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
        priorities = prioritise(item, rooms[fitting])
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
