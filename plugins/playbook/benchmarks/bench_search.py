"""What searches cost in a playbook of 10,000 bullets: making the index, following one change, and a question.

python plugins/playbook/benchmarks/bench_search.py [--bullets 10000]
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from evograft_playbook.search.hybrid import HybridSearch
from evograft_playbook.search.open import open_search
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.types import Bullet, Playbook, SearchQuery

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "search"))

from labelled_set import labelled_playbook, labelled_queries

HEAD = ("", "seconds", "most allowed")


def large_playbook(size: int) -> Playbook:
    """Bullets that no two have in common: the first half of one that was written by hand, and the second of another."""
    contents = [bullet.content for bullet in labelled_playbook().bullets]
    rng = random.Random(0)
    made: dict[str, None] = {}
    while len(made) < size:
        one, other = rng.sample(contents, 2)
        made[f"{one[: rng.randrange(20, len(one))]} {other[len(other) // 2 :]}"] = None
    bullets = (Bullet(id=f"mix-{at:05}", section="mix", content=content) for at, content in enumerate(made))
    return Playbook(bullets=tuple(bullets))


def with_another_bullet(playbook: Playbook) -> Playbook:
    last = Bullet(id="new-00001", section="new", content="A bullet that was learned after the index was made.")
    return Playbook(bullets=(*playbook.bullets, last))


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def row(name: str, took: float, allowed: str = "") -> None:
    print(f"{name:58} {took:10.4f} {allowed:>13}")


def measure(name: str, open_: Callable[[], HybridSearch], playbook: Playbook, *, allowed: str = "5") -> None:
    questions = [SearchQuery(query_text=each.text) for each in labelled_queries()]
    more = with_another_bullet(playbook)
    with open_() as search:
        row(f"{name}: index, and a first question", seconds(lambda: search.search(questions[0], playbook)), allowed)
        took = sorted(seconds(lambda each=each: search.search(each, playbook)) for each in questions)
        row(f"{name}: a question, median of {len(took)}", statistics.median(took), "0.020")
        row(f"{name}: a question, 95th percentile", took[int(len(took) * 0.95)], "0.020")
        row(f"{name}: a question after one more bullet", seconds(lambda: search.search(questions[0], more)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bullets", type=int, default=10_000)
    playbook = large_playbook(parser.parse_args().bullets)
    letters = statistics.mean(len(bullet.content) for bullet in playbook.bullets)
    print(
        f"{len(playbook.bullets):,} bullets of {letters:.0f} characters, Python {sys.version.split()[0]}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    print("{:58} {:>10} {:>13}".format(*HEAD))
    by_words = SearchOptions(embedding=None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "playbook.sqlite"
        # Imports and the encoder's weights are no part of the index.
        with open_search(None) as search:
            row(
                "imports, 422 bullets, a question",
                seconds(lambda: search.search(SearchQuery(query_text="x"), labelled_playbook())),
            )
        measure("words alone", lambda: open_search(None, by_words), playbook)
        measure("hybrid, nothing embedded yet", lambda: open_search(file), playbook, allowed="")
        measure("hybrid, vectors in the file", lambda: open_search(file), playbook)


if __name__ == "__main__":
    main()
