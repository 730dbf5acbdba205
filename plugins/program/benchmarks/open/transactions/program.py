"""In which order transactions take their locks."""

import random


class Schedule:
    """Transactions that have taken their locks, and the unit of time after the last of their steps, `end`."""

    def __init__(self):
        self.end = 0
        self._touched = {}
        self._written = {}

    def find_start(self, transaction):
        """Return when a transaction would start if it were next."""
        start = 0
        for time, step in enumerate(transaction):
            if step:
                kind, key = step
                start = max(start, (self._touched if kind == "w" else self._written).get(key, 0) - time)
        return start

    def append(self, transaction):
        """Let a transaction take its locks."""
        start = self.find_start(transaction)
        for time, step in enumerate(transaction, start + 1):
            if step:
                kind, key = step
                self._touched[key] = max(self._touched.get(key, 0), time)
                if kind == "w":
                    self._written[key] = time
        self.end = max(self.end, start + len(transaction))


# EVOLVE-BLOCK-START
SEED = 1
SAMPLES = 10


def order_transactions(transactions):
    """Return each transaction's number once: the first by chance, then the one of ten that delays the end least."""
    rng = random.Random(SEED)
    left = list(range(len(transactions)))
    order, schedule = [left.pop(rng.randrange(len(left)))], Schedule()
    schedule.append(transactions[order[0]])
    while left:
        sampled = rng.sample(left, min(SAMPLES, len(left)))
        ends = [
            max(schedule.end, schedule.find_start(transactions[each]) + len(transactions[each])) for each in sampled
        ]
        chosen = sampled[ends.index(min(ends))]
        left.remove(chosen)
        order.append(chosen)
        schedule.append(transactions[chosen])
    return order


# EVOLVE-BLOCK-END
