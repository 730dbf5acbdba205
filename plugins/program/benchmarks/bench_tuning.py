"""How far `program.tune` gets in some trials, next to random perturbation, a (1+1)-ES, and CMA-ES by itself.

    OPENBLAS_NUM_THREADS=1 uv run python plugins/program/benchmarks/bench_tuning.py

Each program computes a loss from numbers that stand in its text; what is shown is the share of the start's loss that is
left, the median over some seeds. All rivals move the same numbers in the same coordinates.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from cmaes import CMA

from evograft_hookspecs import Candidate, CandidateRejected, Context, Evaluation, Problem, Proposal, Trial
from evograft_program.options import ProgramOptions
from evograft_program.tuning.family import LiteralFamily, find_family
from evograft_program.tuning.operators import TUNE, tune

PACKING = """
import random
# EVOLVE-BLOCK-START
LOOK_AHEAD = 2
def pack(items):
    fill, spread, align, level = 1.5, 0.7, 0.3, 0.2
    bins = []
    items = list(items)
    while items:
        best = None
        for place, item in enumerate(items[:LOOK_AHEAD]):
            for number, used in [*enumerate(bins), (len(bins), 0.0)]:
                left = 1.0 - used - item
                if left >= 0:
                    worth = fill * item - spread * left + align * (left < 0.12) - level * abs(left - 0.35)
                    worth -= 0.6 * (number == len(bins))
                    best = max(best or (worth, place, number), (worth, place, number))
        _, place, number = best
        if number == len(bins):
            bins.append(0.0)
        bins[number] += items.pop(place)
    return bins
# EVOLVE-BLOCK-END
def waste(bins):
    return sum((1.0 - used) ** 1.5 for used in bins)
def loss():
    rng = random.Random(7)
    sizes = lambda: [rng.choice((0.15, 0.24, 0.37, 0.48)) + 0.1 * rng.random() for _ in range(40)]
    return sum(waste(pack(sizes())) for _ in range(3))
"""
PID = """
# EVOLVE-BLOCK-START
KP = 1.0
KI = 0.1
KD = 0.1
# EVOLVE-BLOCK-END
def loss():
    x = v = total = cost = 0.0
    previous = 1.0
    for step in range(300):
        error = 1.0 - x
        total += error / 20
        push = max(-4, min(4, KP * error + KI * total + KD * (error - previous) * 20))
        previous = error
        v += (push - 3 * v / 5 - 4 * x / 5) / 20
        x += v / 20
        cost += abs(error) / 20 * (1 + step / 50)
    return cost
"""
POLYNOMIAL = """
# EVOLVE-BLOCK-START
def curve(x):
    return 0.9 + 0.4 * x - 2.5 * x**2 - 0.3 * x**3 + 1.4 * x**4 + 0.2 * x**5
# EVOLVE-BLOCK-END
def loss():
    wanted = lambda x: 0.35 + 1.1 * x - 0.8 * x**2 - 1.7 * x**3 + 0.45 * x**4 + 0.6 * x**5
    return sum((curve(place / 10) - wanted(place / 10)) ** 2 for place in range(-10, 11))
"""
RUGGED = """
# EVOLVE-BLOCK-START
WEIGHTS = [0.7, 3.5, 0.4, 1.6, 2.8, 0.9, 5.5, 0.25]
# EVOLVE-BLOCK-END
import math, random
def loss():
    wanted = [1.3, 1.7, 0.9, 0.6, 1.5, 2.2, 3.1, 0.6]
    apart = [math.log(a / b) * 2.5 for a, b in zip(WEIGHTS, wanted)]
    noise = random.Random(repr(WEIGHTS)).gauss(0, 0.3)
    return 1 + abs(sum(x * x + 1.5 * (1 - math.cos(5.2 * x)) for x in apart) + noise)
"""
ANNEALING = """
import math, random
# EVOLVE-BLOCK-START
START = 3.0
COOLING = 0.95
REACH = 3
SWEEPS = 20
NEAR = 0.1
# EVOLVE-BLOCK-END
def loss():
    rng = random.Random(3)
    points = [(rng.random(), rng.random()) for _ in range(40)]
    gap = lambda a, b: math.dist(points[a], points[b])
    tour = list(range(40))
    heat, budget = START, 3000
    while budget > 0 and heat > 1e-6:
        for _ in range(SWEEPS):
            budget -= 1
            i = rng.randrange(39)
            j = min(39, i + 1 + rng.randrange(REACH if rng.random() < NEAR else 38))
            a, b, c, d = tour[i - 1], tour[i], tour[j], tour[(j + 1) % 40]
            change = gap(a, c) + gap(b, d) - gap(a, b) - gap(c, d)
            if a != c and b != d and (change < 0 or rng.random() < math.exp(-change / heat)):
                tour[i : j + 1] = tour[i : j + 1][::-1]
        heat *= COOLING
    return sum(gap(tour[k - 1], tour[k]) for k in range(40))
"""
WHOLE = """
# EVOLVE-BLOCK-START
DEPTH = 3
WINDOW = 12
PERIOD = 40
SHARE = 0.2
ITEMS = 6
MUST_BE_SIX = 6
# EVOLVE-BLOCK-END
def loss():
    if MUST_BE_SIX != 6:
        raise ValueError("the task has six")
    loss = 1 + (DEPTH - 7) ** 2 + (WINDOW - 31) ** 2 / 9 + abs(PERIOD - 17)
    return loss + 30 * (SHARE - 0.55) ** 2 + abs(ITEMS - 4) * DEPTH
"""
PROGRAMS = {
    "packing (8)": PACKING,
    "PID (3)": PID,
    "polynomial (6)": POLYNOMIAL,
    "rugged (8)": RUGGED,
    "annealing (5)": ANNEALING,
    "integers (6)": WHOLE,
}


class Study:
    """A run without a kernel: trials, of which some are out at a time."""

    def __init__(self, source: str, seed: int, window: int) -> None:
        self.seed, self.window = seed, window
        self.options = ProgramOptions.model_validate(
            {"task": {"folder": "."}, "evaluator": {"path": "e.py", "style": "function"}}
        )
        files = {"main": source}
        self.problem = Problem(name="b", statement="s", kind="program", objective="loss", seeds=(files,))
        first = Candidate(kind="program", files=files, operator="kernel.seed", trial=0)
        self.trials = [Trial(number=0, view=0, candidate=first, evaluation=evaluate(source))]
        self.out: list[Candidate] = []

    def trial(self, number: int) -> Trial:
        return self.trials[number]

    def latest(self, count: int) -> tuple[Trial, ...]:
        return tuple(self.trials[-count:])

    @property
    def family(self) -> LiteralFamily:
        most = self.options.tuning.most_literals
        return find_family(self.problem.seeds[0], self.trials, language="python", most=most)

    def losses(self, make: Callable[[Study, int], Candidate], trials: int) -> Iterator[float]:
        """Yield the best loss so far, as a share of the first, after each trial."""
        first = best = -(self.trials[0].evaluation.score or 0.0)
        for number in range(1, trials + 1):
            try:
                self.out.append(make(self, number))
            except CandidateRejected:
                yield best / first
                continue
            if len(self.out) == self.window:
                candidate = self.out.pop(0)
                known = [each for each in self.trials if each.candidate and each.candidate.id == candidate.id]
                evaluation = known[0].evaluation if known else evaluate(candidate.source)
                self.trials.append(Trial(number=candidate.trial, view=0, candidate=candidate, evaluation=evaluation))
                best = min(best, -(evaluation.score if evaluation.score is not None else -math.inf))
            yield best / first

    def candidate(self, number: int, point: Any) -> Candidate:
        return Candidate(kind="program", files=self.family.write(point), operator=TUNE, trial=number)


def evaluate(source: str) -> Evaluation:
    namespace: dict[str, Any] = {}
    try:
        exec(source, namespace)  # noqa: S102
        loss = float(namespace["loss"]())
    except (ArithmeticError, ValueError, TypeError, LookupError) as err:
        return Evaluation.rejected(repr(err))
    return Evaluation(status="ok", score=-loss) if math.isfinite(loss) else Evaluation.rejected("not finite")


def by_tune(study: Study, number: int) -> Candidate:
    services: Any = {"llm": None, "tools": None, "history": study}
    ctx = Context(number, 1000 * study.seed + number, Path(), 20, problem=study.problem, **services)
    return tune(ctx, Proposal(id=TUNE, operator=TUNE), (study.trials[0],), study.options)


def by_chance(study: Study, number: int) -> Candidate:
    rng = random.Random(1000 * study.seed + number)
    return study.candidate(number, [rng.gauss(0, 1.5) for _ in study.family.chosen])


def by_one_plus_one(study: Study, number: int) -> Candidate:
    """A step of a (1+1)-ES with the rule of one success in five."""
    rng, step, family = random.Random(1000 * study.seed + number), 1.0, study.family
    points = [(each.point, each.score) for each in family.tried(TUNE)]
    best, worth = points[0]
    for point, score in points[1:]:
        is_better = score is not None and score >= worth
        step = max(step * (1.5 if is_better else 1.5**-0.25), 1e-3)
        best, worth = (point, score) if is_better else (best, worth)
    return study.candidate(number, [place + step * rng.gauss(0, 1) for place in best])


def by_cmaes(study: Study, number: int) -> Candidate:
    """CMA-ES with its usual population; a rejected point is the worst."""
    family = study.family
    optimiser = CMA(mean=np.zeros(len(family.chosen)), sigma=1.0, seed=1000 * study.seed + number)
    told = [
        (np.array(each.point), -(each.score if each.score is not None else -1e9)) for each in family.tried(TUNE)[1:]
    ]
    size = optimiser.population_size
    for start in range(0, len(told) - size + 1, size):
        optimiser.tell(told[start : start + size])
    return study.candidate(number, optimiser.ask())


RIVALS = {"program.tune": by_tune, "random": by_chance, "(1+1)-ES": by_one_plus_one, "CMA-ES": by_cmaes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, nargs="+", default=[60, 120, 200])
    parser.add_argument("--seeds", type=int, default=7)
    parser.add_argument("--window", type=int, default=2, help="trials that are out at a time")
    given = parser.parse_args()

    print("| program | trials |", " | ".join(RIVALS), "|")
    shares: dict[tuple[str, int], list[float]] = {}
    seconds = dict.fromkeys(RIVALS, 0.0)
    for title, source in PROGRAMS.items():
        curves: dict[str, list[list[float]]] = {}
        for name, make in RIVALS.items():
            begin = time.perf_counter()
            studies = [Study(source, seed, given.window) for seed in range(given.seeds)]
            curves[name] = [list(study.losses(make, max(given.trials))) for study in studies]
            seconds[name] += time.perf_counter() - begin
        for trials in given.trials:
            medians = {name: statistics.median(curve[trials - 1] for curve in curves[name]) for name in RIVALS}
            for name, median in medians.items():
                shares.setdefault((name, trials), []).append(median)
            print(f"| {title} | {trials} |", " | ".join(f"{each:.3g}" for each in medians.values()), "|", flush=True)
    for trials in given.trials:
        means = [statistics.geometric_mean([max(each, 1e-6) for each in shares[name, trials]]) for name in RIVALS]
        print(f"| geometric mean | {trials} |", " | ".join(f"{each:.3g}" for each in means), "|")
    print({name: f"{each:.0f} s" for name, each in seconds.items()})


if __name__ == "__main__":
    main()
