"""A long run gives a page of a few hundred kilobytes, in seconds, with memory that its programs do not fill."""

import random
import time
import tracemalloc

import pytest
from logbook import LogBook, figures_at
from pagereader import Page

from evograft_report.page import get_catalog, render_page

TRIALS = 10_000


@pytest.mark.slow
def test_ten_thousand_trials_give_a_small_page_in_seconds(runs, tmp_path):
    with LogBook.begun(runs.pipeline(trials=TRIALS), tmp_path / "long") as book:
        book.journal._store._db.execute("PRAGMA synchronous=OFF")  # the test writes ten thousand transactions
        rng = random.Random(0)
        for number in range(TRIALS):
            parents = (rng.randrange(max(0, number - 50), number),) if number else ()
            files = {"a.py": "".join(f"line {rng.randrange(500)}\n" for _ in range(30))}
            score = number / TRIALS + rng.gauss(0, 0.1) if number % 5 else None
            word = "".join(rng.choices("abcdefghij", k=4))
            book.trial(score, files=files, parents=parents, island=number % 6, reason=f"{word} failed {number} times")
    begun = time.process_time()
    tracemalloc.start()
    figures = figures_at(tmp_path / "long")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    html = render_page(figures, get_catalog("en"))
    assert time.process_time() - begun < 60
    assert len(html.encode()) < 2_000_000
    assert peak < 100_000_000
    assert len(figures.points) == TRIALS
    assert "10,000" in Page(html).text
