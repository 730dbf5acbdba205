"""Placing models on graphics processors so that the processor under most pressure has as little of it as possible.

`place_models(processors, models)` gets how many processors there are and a list of models `(size, rate, limit)`: its
gigabytes, requests a second and limit of latency. It returns the number of a processor, from 0, for each model. A
processor has 80 GB; its pressure is the sum of rate / limit of its models, divided by the memory that they leave, or a
million if they leave none.

There are 50 cases with 5 to 9 processors and two models for each, drawn as in the task PRISM of ADRS (Cheng et al.
2025). `adrs` is the score of that task: 1, and 1 divided by the mean over the cases of the highest pressure. The best
placements, found by exhaustive search, have 26.25597, and the score is the share of it. The final evaluation has other
cases. Every case is asked for again: a program that depends on earlier calls, on chance or on a clock is refused. A
program has 20 seconds for everything, one core, NumPy and SciPy.
"""

import importlib.util

import numpy as np

MEMORY = 80
FULL = 1e6
BEST_KNOWN = 26.25597


def evaluate(program_path, seed=42):
    """Return the score of a program's placements."""
    cases = draw(seed)
    placed = place_all(program_path, cases)
    if place_all(program_path, cases[::-1])[::-1] != placed:
        raise ValueError("place_models depends on earlier calls, on chance or on a clock, not only on its arguments")
    adrs = 1 + 1 / float(np.mean([find_pressure(*case, places) for case, places in zip(cases, placed, strict=True)]))
    return {"combined_score": adrs / BEST_KNOWN, "adrs": adrs}


def draw(seed, cases=50):
    """Return cases: how many processors there are, and the models."""
    integers = np.random.RandomState(seed).randint
    drawn = []
    for _ in range(cases):
        processors = integers(5, 10)
        drawn.append(
            (processors, [(integers(10, 30), integers(1, 10), integers(5, 10)) for _ in range(2 * processors)])
        )
    return drawn


def place_all(program_path, cases):
    """Return the placements of a program loaded anew."""
    place_models = load(program_path).place_models
    return [check(processors, models, place_models(processors, list(models))) for processors, models in cases]


def check(processors, models, places):
    """Return the places as integers if every model has one of the processors, and else raise."""
    places = np.asarray(places)
    if places.shape != (len(models),) or places.dtype.kind not in "iu":
        raise ValueError(f"place_models returned {places.dtype} of shape {places.shape}, not {len(models)} integers")
    if places.min() < 0 or places.max() >= processors:
        raise ValueError(f"place_models returned a processor that is not one of 0 to {processors - 1}")
    return places.tolist()


def find_pressure(processors, models, places):
    """Return the highest pressure of a processor."""
    room, needs = [MEMORY] * processors, [0.0] * processors
    for (size, rate, limit), place in zip(models, places, strict=True):
        room[place] -= size
        needs[place] += rate / limit
    if min(room) < 0:
        raise ValueError(f"the models of a processor need {MEMORY - min(room)} GB, and it has {MEMORY}")
    return max(need / left if left else FULL for need, left in zip(needs, room, strict=True))


def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
