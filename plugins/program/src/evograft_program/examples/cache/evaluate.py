"""A cache of 32 entries serves four kinds of traffic; a program decides what is thrown out when it is full.

`combined_score` is the share of all hits that a cache could have had that knows the future: 1 cannot be passed.
Popular keys change slowly (`drift`), come in bursts (`bursts`), are swept away by long scans (`scans`), or come round
in loops that hardly fit (`loops`). What serves one kind well often fails another.
"""

import importlib.util
import random
from collections import defaultdict

CAPACITY = 32
REQUESTS = 1200


class Entry:
    """What is known of a key in the cache."""

    __slots__ = ("first", "gap", "hits", "last")

    def __init__(self, now):
        self.first = self.last = now
        self.hits = 1
        self.gap = 0


def drift(rng):
    """Popular keys that slowly become others."""
    for now in range(REQUESTS):
        yield int(rng.paretovariate(0.7)) % 150 + now // 25


def bursts(rng):
    """Keys that are asked for some times in a row of requests, and then hardly ever; and a few that always are."""
    live = []
    for now in range(REQUESTS):
        if rng.random() < 0.12:
            live = [*live[-11:], 1000 + now]
        yield rng.choice(live) if live and rng.random() < 0.5 else int(rng.paretovariate(0.9)) % 80


def scans(rng):
    """Popular keys, and now and then a sweep over keys that nobody asks for again."""
    left = 0
    for now in range(REQUESTS):
        if left == 0 and rng.random() < 0.02:
            left = 40
        if left and rng.random() < 0.7:
            left -= 1
            yield 10_000 + now
        else:
            yield int(rng.paretovariate(0.8)) % 60


def loops(rng):
    """Round and round over somewhat more keys than fit, in passages that change."""
    start = 0
    for now in range(REQUESTS):
        if now % 300 == 0:
            start += 37
        yield int(rng.paretovariate(1.0)) % 20 if rng.random() < 0.3 else 5000 + start + now % 38


TRAFFIC = (drift, bursts, scans, loops)


def evaluate(program_path):
    """Return the score of a program, and its share for each kind of traffic."""
    choose_victim = load(program_path).choose_victim
    shares = {}
    for number, kind in enumerate(TRAFFIC):
        requests = list(kind(random.Random(f"{kind.__name__} {number}")))
        shares[kind.__name__] = count_hits(requests, choose_victim) / count_possible_hits(requests)
    return {"combined_score": sum(shares.values()) / len(shares), **shares}


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def count_hits(requests, choose_victim):
    entries, hits = {}, 0
    for now, key in enumerate(requests, 1):
        entry = entries.get(key)
        if entry is not None:
            hits += 1
            entry.gap, entry.last, entry.hits = now - entry.last, now, entry.hits + 1
            continue
        if len(entries) == CAPACITY:
            victim = choose_victim(dict(entries), now)
            if victim not in entries:
                raise ValueError(f"choose_victim returned {victim!r}, which is no key of the cache")
            del entries[victim]
        entries[key] = Entry(now)
    return hits


def count_possible_hits(requests):
    """Return the hits of a cache that throws out what is asked for latest from now on."""
    coming = defaultdict(list)
    for now in range(len(requests) - 1, -1, -1):
        coming[requests[now]].append(now)
    kept, hits = set(), 0
    for key in requests:
        coming[key].pop()
        if key in kept:
            hits += 1
            continue
        if len(kept) == CAPACITY:
            kept.remove(max(kept, key=lambda each: (coming[each][-1] if coming[each] else len(requests), each)))
        kept.add(key)
    return hits
