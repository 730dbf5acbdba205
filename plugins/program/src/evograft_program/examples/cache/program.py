"""Decide what a full cache throws out: `choose_victim` is asked whenever something new has to go in."""

import math

# EVOLVE-BLOCK-START
RECENCY = 0.3
FREQUENCY = 2.5
YOUTH = 1.2
RHYTHM = 0.1
GRACE = 5


def choose_victim(entries, now):
    """Return the key of the entry to throw out.

    entries: key to entry; an entry has `first` and `last`, the times of its first and latest request, `hits`, how often
        it was requested, and `gap`, the time between its latest two requests (0 after the first).
    now: the time, which is 1 more with each request.
    """
    return min(entries, key=lambda key: priority(entries[key], now))


def priority(entry, now):
    """Return how much an entry is worth: the least goes."""
    idle, age = now - entry.last, now - entry.first
    worth = FREQUENCY * math.log(entry.hits) - RECENCY * math.log(idle)
    worth -= RHYTHM * abs(entry.gap - idle) / (entry.gap + idle)
    return worth + (YOUTH if age < GRACE else 0.0)


# EVOLVE-BLOCK-END
