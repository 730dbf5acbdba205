"""Cap sets: as many vectors over three elements as possible, no three different ones of which add up to zero.

`prioritise(vectors)` is given all 6,561 vectors of eight dimensions, as rows of 0, 1 and 2, and returns a number for
each. The vector with the highest one that completes no triple is taken, the first of equals, until none is left. The
score is the number of vectors divided by 512, which Romera-Paredes et al. 2023 reached. A program has 20 seconds, one
core and NumPy.
"""

import importlib.util
from itertools import product

import numpy as np

DIMENSIONS = 8
BEST_KNOWN = 512


def evaluate(program_path):
    """Return the score of a program's priorities."""
    vectors = np.array(list(product(range(3), repeat=DIMENSIONS)))
    priorities = np.array(load(program_path).prioritise(vectors.copy()), dtype=float)
    if priorities.shape != (len(vectors),) or not np.isfinite(priorities).all():
        raise ValueError(f"prioritise returned an array of shape {priorities.shape}, not {len(vectors)} finite numbers")
    size = len(take(vectors, priorities))
    return {"combined_score": size / BEST_KNOWN, "size": size}


def take(vectors, priorities):
    """Return the places of the vectors that are taken."""
    places = 3 ** np.arange(DIMENSIONS)[::-1]
    taken = []
    while priorities.max() > -np.inf:
        best = int(np.argmax(priorities))
        thirds = -(vectors[taken] + vectors[best]) % 3
        priorities[thirds @ places] = -np.inf
        priorities[best] = -np.inf
        taken.append(best)
    return taken


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
