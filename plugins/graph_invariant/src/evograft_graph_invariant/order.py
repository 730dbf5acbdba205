"""The order in which a program is asked about the graphs of a set: its calls, counted, say nothing about them."""

from __future__ import annotations

import random


def shuffled(count: int, seed: int) -> list[int]:
    """Which item comes first, second and so on; the same for whoever asks and whoever reads the answers.

    The kind of graph goes by number within a set, and a program that counts its calls would know it.
    """
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order
