"""CPU of the fold per row and of one selection: `python plugins/islands/benchmarks/bench_select.py [ROWS]`."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import Any

from evograft_hookspecs import Candidate, Context, Evaluation, Selection, Trial
from evograft_islands.options import IslandsOptions
from evograft_islands.plugin import IslandsPlugin

LARGE = {"elites": 1000, "tournament": 4, "archive": {"axes": {"x": [0, 1], "y": [0, 1]}, "bins": 20}}


def make_row(number: int, rng: random.Random) -> Trial:
    candidate = Candidate.of(f"program {number}", kind="text", operator="bench.none", trial=number)
    descriptors = {"x": rng.random(), "y": rng.random()}
    evaluation = Evaluation(status="ok", score=rng.random(), descriptors=descriptors)
    return Trial(
        number=number, view=0, selection=Selection(island=number % 4), candidate=candidate, evaluation=evaluation
    )


def measure(name: str, options: dict[str, Any], rows: list[Trial]) -> None:
    plugin, nothing = IslandsPlugin(IslandsOptions.model_validate(options)), None
    contexts = [Context(n, n, Path(), 20, nothing, nothing, nothing) for n in range(len(rows))]  # type: ignore[arg-type]
    start = time.process_time()
    for row in rows:
        plugin.search.tell(contexts[0], row, home=row.selection.island)
    folded = time.process_time()
    for ctx in contexts:
        plugin.select(ctx, ())
    end = time.process_time()
    each = 1e6 / len(rows)
    print(f"{name}: {(folded - start) * each:.1f} us a row told, {(end - folded) * each:.1f} us a selection")


if __name__ == "__main__":
    generator = random.Random(0)
    committed = [make_row(number, generator) for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)]
    measure("defaults", {}, committed)
    measure("1000 elites and an archive", LARGE, committed)
