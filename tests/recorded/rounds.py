"""A problem whose candidates are small programs: a courier's round that collects as many prizes as it can in its time.

It belongs to the recorded run beside it, and changes with it only. It trusts its candidates more than a plugin should:
what a day collected is computed in the process of the candidate.
"""

from __future__ import annotations

import heapq
import itertools
import math
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    CandidateRejected,
    EvalContext,
    Evaluation,
    Event,
    Manifest,
    NoOptions,
    Problem,
    RunEnded,
    hookimpl,
)
from evograft_sandbox.functions import FunctionLimits, Preload, PythonSandbox

FUNCTION = "collected"
DAYS = {"search": 12, "final": 12}
CUSTOMERS = 40
SIZE = 1000
CPU_SECONDS = 20.0

STATEMENT = f"""Plan a courier's round. It starts and ends at the depot, place 0, and may take `limit` time in all. Each of the other places
1 to {CUSTOMERS} has a prize, which is collected by visiting the place; no place is visited twice, and there is far too little time
for all of them. Collect as much as possible.

`plan(travel, prize, limit)` returns the places of the round in their order, without the depot. `travel[i][j]` is the time
from place i to place j, an integer; it is symmetric, and no detour is shorter than the direct way. `prize[i]` is an integer,
0 for the depot. The places lie in a square of {SIZE} by {SIZE}; some days they are spread evenly, some days they lie in clusters.

A program is run on {DAYS["search"]} days, with {CPU_SECONDS:g} seconds of CPU for all of them. Return the round after a fixed amount of work
instead of looking at a clock: there is none, and the same program has to plan the same rounds again. `math`, `random`,
`heapq` and `itertools` may be imported; use `random.Random(0)` where you need chance. Functions only, no classes."""

SEED = '''"""A courier's round."""

import math
import random

# EVOLVE-BLOCK-START


def plan(travel, prize, limit):
    """Goes to the nearest place from which the depot can still be reached."""
    route, place, time = [], 0, 0
    left = set(range(1, len(prize)))
    while True:
        reachable = [each for each in left if time + travel[place][each] + travel[each][0] <= limit]
        if not reachable:
            return route
        nearest = min(reachable, key=lambda each: (travel[place][each], each))
        time += travel[place][nearest]
        route.append(nearest)
        left.remove(nearest)
        place = nearest


# EVOLVE-BLOCK-END


def collected(day):
    return day.collect(plan(day.travel, day.prize, day.limit))
'''


@dataclass(frozen=True)
class Day:
    """One instance."""

    travel: tuple[tuple[int, ...], ...]
    prize: tuple[int, ...]
    limit: int

    def collect(self, route: Sequence[int]) -> float:
        """The percentage of all prizes that a round collects.

        Raises:
            ValueError: it is no round, or takes too long.
        """
        places = list(route)
        if any(type(place) is not int or not 0 < place < len(self.prize) for place in places):
            raise ValueError(f"a round is made of places from 1 to {len(self.prize) - 1}")
        if len(set(places)) < len(places):
            raise ValueError("a place is visited twice")
        time = sum(self.travel[one][other] for one, other in itertools.pairwise([0, *places, 0]))
        if time > self.limit:
            raise ValueError(f"the round takes {time}, {time - self.limit} more than the limit")
        return 100 * sum(self.prize[place] for place in places) / sum(self.prize)


def draw_day(rng: random.Random, *, clusters: int) -> Day:
    """A day with places around so many centres, or spread evenly if there are none."""
    centres = [(rng.randrange(SIZE), rng.randrange(SIZE)) for _ in range(clusters)]
    points = [(SIZE // 2, SIZE // 2), *(_draw_point(rng, centres) for _ in range(CUSTOMERS))]
    # Rounded up, so that the triangle inequality holds.
    travel = tuple(tuple(_time(one, other) for other in points) for one in points)
    return Day(travel, (0, *(rng.randint(10, 100) for _ in range(CUSTOMERS))), rng.randrange(1500, 2600))


def _draw_point(rng: random.Random, centres: list[tuple[int, int]]) -> tuple[int, int]:
    if not centres:
        return rng.randrange(SIZE), rng.randrange(SIZE)
    x, y = rng.choice(centres)
    # A sum of evenly spread numbers, since `gauss` depends on the mathematical library of the system.
    return tuple(min(max(c + sum(rng.randint(-60, 60) for _ in range(3)), 0), SIZE - 1) for c in (x, y))  # type: ignore[return-value]


def _time(one: tuple[int, int], other: tuple[int, int]) -> int:
    square = (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
    return math.isqrt(square - 1) + 1 if square else 0


def load() -> Preload:
    """What the sandbox holds; it calls this in its own process."""
    datasets = {
        name: [draw_day(random.Random(f"{name} {number}"), clusters=(0, 4, 7)[number % 3]) for number in range(count)]
        for name, count in DAYS.items()
    }
    modules = {"math": math, "random": random, "heapq": heapq, "itertools": itertools}
    return Preload(datasets, modules, before_item=_handed_out)


def _handed_out(day: Day) -> SimpleNamespace:
    collect: Callable[[Sequence[int]], float] = day.collect
    return SimpleNamespace(
        travel=[list(row) for row in day.travel], prize=list(day.prize), limit=day.limit, collect=collect
    )


class Rounds:
    """The plugin."""

    manifest = Manifest(name="rounds", contract=CONTRACT, kinds=("python",), thread_safe=True)
    Options = NoOptions

    def __init__(self, options: NoOptions) -> None:
        self.options = options
        self._lock = threading.Lock()
        self._sandbox: PythonSandbox | None = None

    @hookimpl
    def analyze(self) -> Problem:
        return Problem(
            name="rounds",
            statement=STATEMENT,
            kind="python",
            language="python",
            objective="the mean over the days of the percentage of all prizes that is collected",
            seeds=({"main": SEED},),
        )

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate) -> Evaluation:
        result = self._started().run(candidate.source, function=FUNCTION, dataset=ctx.purpose)
        if result.values is None:
            raise CandidateRejected(result.error)
        if result.failed_items:
            day, error = result.item_errors[0]
            raise CandidateRejected(f"no valid round on {result.failed_items} days; on day {day + 1}: {error}")
        cases = {f"day {number}": value for number, value in enumerate(result.values, 1)}
        by_day = " ".join(f"{value:.1f}" for value in cases.values())
        return Evaluation(
            status="ok",
            score=sum(cases.values()) / len(cases),
            cases=cases,
            feedback=f"collected by day, in percent: {by_day}",
            seconds=result.cpu_seconds,
        )

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, RunEnded) and self._sandbox is not None:
            self._sandbox.close()

    def _started(self) -> PythonSandbox:
        with self._lock:
            if self._sandbox is None:
                limits = FunctionLimits(cpu_seconds=CPU_SECONDS, wall_seconds=10 * CPU_SECONDS)
                self._sandbox = PythonSandbox(f"{__file__}:load", limits=limits)
            return self._sandbox
