"""What a generation of phase 1 costs without a model: python plugins/graph_invariant/benchmarks/bench_generation.py.

A generation is 20 trials, each judged on 50 training and 200 validation graphs. Its cost is the difference between a
run of many generations and a run of one, so that the start, the graphs and the final judgement are in neither. Two
kinds of trial: one edit, by the operators of `evograft-operators`; and `explore`, which looks at thousands of formulas
itself.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

GENERATION = 20
ONE_EDIT = {"weight": 0, "fit_weight": 0}
KINDS: dict[str, tuple[dict[str, Any], int]] = {"one edit": (ONE_EDIT, 50), "explore": ({}, 5)}
"""Options of `explore`, and how many generations the longer run has more."""


class Cost(NamedTuple):
    cpu: float
    wall: float


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder), {}, 1)  # builds the graphs
        for name, (explore, generations) in KINDS.items():
            one, many = (run(Path(folder), explore, count) for count in (1, 1 + generations))
            cpu, wall = ((many[i] - one[i]) / generations for i in range(2))
            print(f"a generation of {GENERATION} trials, {name}: {cpu:.2f} s of CPU, {wall:.2f} s of wall time")


def run(folder: Path, explore: dict[str, Any], generations: int) -> Cost:
    own = "plugins.graph_invariant.with"
    settings = {
        f"{own}.explore": explore,
        f"{own}.baselines": [],
        "budget.trials": GENERATION * generations,
        "executor.workers": 2,
    }
    sets = [part for key, value in settings.items() for part in ("--set", f"{key}={json.dumps(value)}")]
    command = [sys.executable, "-m", "evograft", "run", "--plugin", "graph_invariant", *sets]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environment)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


if __name__ == "__main__":
    main()
