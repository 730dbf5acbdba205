"""The order in which a program is asked about the graphs of a set: its calls, counted, say nothing about them."""

from __future__ import annotations

import random

AGAIN = "_again"
"""Ends the name of a set whose graphs come a second time: under other names, and in another order."""


def shuffle_calls(dataset: str, count: int, master_seed: int) -> list[int]:
    """Return which item comes first, second and so on; the same for the asker and for the reader of the answers.

    The kind of graph goes by number within a set, and a program that counts its calls would know it.
    """
    order = list(range(count))
    random.Random(f"{dataset}/{master_seed}" if dataset.endswith(AGAIN) else master_seed).shuffle(order)
    return order
