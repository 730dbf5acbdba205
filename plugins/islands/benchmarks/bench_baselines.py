"""What the population adds: a run on `graph_invariant` beside its baselines, at equal trials.

python plugins/islands/benchmarks/bench_baselines.py [--trials 5000] [--seeds 5]

A trial is one edit: the operators of `graph_invariant` that search within a trial are off, and formulas may have 40
nodes. One run after another, each in a process of its own. The graphs of a seed are built beforehand, in nobody's CPU
seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SEARCHES = {
    "islands": {"plugins.islands.with": {"elites": 30, "distinct_scores": True, "incumbent": "none"}},
    "`sequential`": {"plugins.islands.with": {"search": "sequential"}},
    "`sequential`, window 1": {"plugins.islands.with": {"search": "sequential"}, "window": 1},
    "`best_of_n`": {"plugins.islands.with": {"search": "best_of_n"}},
    "afresh": {"plugins.islands.with": {"islands": [{"name": "afresh", "parents": 0}]}},
}
"""Name to what it sets over the preset."""

ONE_EDIT = {
    "plugins.graph_invariant.with.explore": {"weight": 0, "fit_weight": 0},
    "plugins.graph_invariant.with.max_nodes": 39,
}
"""What all of them set."""

SETS = {"test": "test", "large": "large_random", "extreme": "extreme_params"}
"""Heading to the name of a set that no choice depends on."""


class Row(NamedTuple):
    score: float
    """The best trial's, which is what the search climbs."""
    rho: dict[str, float]
    answered: float
    """The lowest share of a set's graphs that the formula has a value on; the rest are not in its rho."""
    nodes: float
    duplicates: int
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", default=5000, type=int)
    parser.add_argument("--seeds", default=5, type=int, help="how many, from 0")
    options = parser.parse_args()
    rows: dict[str, list[Row]] = {name: [] for name in SEARCHES}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seeds):
            run(Path(folder), {"seed": seed, "budget.trials": 10})  # builds the graphs
            for name, settings in SEARCHES.items():
                row = run(Path(folder), {"seed": seed, "budget.trials": options.trials, **settings})
                rows[name].append(row)
                print(f"seed {seed} {name}: {row}", flush=True)
    print_table(rows)


def run(folder: Path, settings: dict[str, object]) -> Row:
    sets = [part for key, value in {**ONE_EDIT, **settings}.items() for part in ("--set", f"{key}={json.dumps(value)}")]
    command = [sys.executable, "-m", "evograft", "run", "--plugin", "graph_invariant", "--json", *sets]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    before = children_seconds()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment)
    seconds = children_seconds() - before
    result = json.loads(done.stdout)
    metrics, best = result["final"]["metrics"], result["best"]["evaluation"]
    return Row(
        score=best["score"],
        rho={heading: abs(metrics[f"{name}_rho"]) for heading, name in SETS.items()},
        answered=min(metrics[f"{name}_answered"] for name in SETS.values()),
        nodes=best["metrics"]["ast_nodes"],
        duplicates=count_duplicates(result["folder"]),
        seconds=seconds,
    )


def count_duplicates(folder: str) -> int:
    command = [sys.executable, "-m", "evograft", "export", folder]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return sum(json.loads(line).get("duplicate_of") is not None for line in lines)


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def print_table(rows: dict[str, list[Row]]) -> None:
    """In Markdown: means over the seeds, in brackets the worst one."""
    print(f"\n| search | best score | {' | '.join(SETS)} | answered | AST nodes | duplicates | CPU s |")
    print("| --- |" + " ---: |" * (len(SETS) + 5))
    for name, found in rows.items():
        cells = [mean_and_worst([row.score for row in found])]
        cells += [mean_and_worst([row.rho[heading] for row in found]) for heading in SETS]
        cells += [
            f"{100 * min(row.answered for row in found):.0f} %",
            f"{statistics.fmean(row.nodes for row in found):.0f}",
            f"{statistics.fmean(row.duplicates for row in found):.0f}",
            f"{statistics.fmean(row.seconds for row in found):.1f}",
        ]
        print(f"| {name} | {' | '.join(cells)} |")


def mean_and_worst(values: Sequence[float]) -> str:
    return f"{statistics.fmean(values):.4f} ({min(values):.4f})"


if __name__ == "__main__":
    main()
