"""What the searches of `islands` find at equal evaluations, without a model.

    OPENBLAS_NUM_THREADS=1 python plugins/program/benchmarks/bench_searches.py

The programs and losses are those of `bench_tuning.py`; what is shown is the share of the start's loss that is left, the
median over some seeds. Every trial moves the numbers of its parent by a random step, so that only the choice of parents
differs; with `--tune` it is `program.tune`, which learns from all trials whoever their parents are.
"""

from __future__ import annotations

import argparse
import random
import statistics
from pathlib import Path
from typing import Any

from bench_tuning import PROGRAMS, Study

from evograft_hookspecs import Candidate, Context, Proposal, Selection
from evograft_islands.options import IslandsOptions
from evograft_islands.plugin import IslandsPlugin
from evograft_program.tuning.operators import TUNE, tune

STEP = 0.5
"""The standard deviation of a step, in the coordinates of the numbers."""
SEARCHES: dict[str, dict[str, Any]] = {
    "islands": {"search": "islands"},
    "sequential": {"search": "sequential"},
    "best_of_n": {"search": "best_of_n"},
    "turns": {"search": "composed"},
    "share": {"search": "composed", "composed": {"by": "share"}},
    "bandit": {"search": "composed", "composed": {"by": "bandit"}},
}
"""Name to options; the last three are composed of the first three."""
QUICK = ("PID (3)", "polynomial (6)", "rugged (8)", "integers (6)")


class SearchStudy:
    """A study whose trials start from the parents that a search chooses, in a run in which nothing costs anything."""

    def __init__(self, source: str, options: dict[str, Any], *, seed: int, window: int, tuned: bool) -> None:
        self._study = Study(source, seed, window)
        self._plugin = IslandsPlugin(IslandsOptions.model_validate(options))
        self._selections: dict[int, Selection] = {}
        self._told = 0
        self._family = self._study.family
        self._points = {0: self._family.point(self._family.first)}
        self._tuned = tuned
        self.trial, self.latest = self._study.trial, self._study.latest

    def spent(self, number: int) -> float:
        return 0.0

    def shares(self, trials: int) -> list[float]:
        """Return the share of the start's loss that is left after each trial."""
        return list(self._study.losses(self._make, trials))

    def _make(self, study: Study, number: int) -> Candidate:
        services: Any = {"llm": None, "tools": None, "history": self}
        ctx = Context(number, 1000 * study.seed + number, Path(), 20, problem=study.problem, **services)
        committed, self._told = study.trials[self._told :], len(study.trials)
        told = (each.model_copy(update={"selection": self._selections.get(each.number)}) for each in committed)
        selection = self._selections[number] = self._plugin.select(ctx, tuple(told))
        parent = next((each for each in study.trials if each.number in selection.parents), study.trials[0])
        if self._tuned:
            return tune(ctx, Proposal(id=TUNE, operator=TUNE), (parent,), study.options)
        rng = random.Random(7919 * study.seed + number)
        self._points[number] = tuple(value + rng.gauss(0, STEP) for value in self._points[parent.number])
        files = self._family.write(self._points[number])
        return Candidate(kind="program", files=files, operator=TUNE, trial=number, parents=(parent.number,))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=7)
    parser.add_argument("--window", type=int, default=2, help="trials that are out at a time")
    parser.add_argument("--tune", action="store_true", help="with program.tune as the operator")
    given = parser.parse_args()
    print(f"| program | {' | '.join(SEARCHES)} |\n| --- |{' ---: |' * len(SEARCHES)}")
    left: dict[str, list[float]] = {name: [] for name in SEARCHES}
    for title in QUICK:
        for name, options in SEARCHES.items():
            found = [
                SearchStudy(PROGRAMS[title], options, seed=seed, window=given.window, tuned=given.tune).shares(
                    given.trials
                )
                for seed in range(given.seeds)
            ]
            left[name].append(statistics.median(shares[-1] for shares in found))
        print(f"| {title} | {' | '.join(f'{left[name][-1]:.3g}' for name in SEARCHES)} |", flush=True)
    means = [statistics.geometric_mean([max(each, 1e-6) for each in left[name]]) for name in SEARCHES]
    print(f"| geometric mean | {' | '.join(f'{each:.3g}' for each in means)} |")


if __name__ == "__main__":
    main()
