"""What is found on open problems that other systems report on: with a model, and without one at equal CPU time.

    OPENBLAS_NUM_THREADS=1 uv run --group bench python plugins/program/benchmarks/bench_open.py
    uv run --group bench python plugins/program/benchmarks/bench_open.py --llm openai:gpt-5-mini --tasks packing capset

Without a model, `evo evolve` tunes the numbers of the start program in so many trials; then Optuna and CMA-ES by
themselves move the same numbers, on the same scales, for the CPU time that all processes of the run took. With one,
each search gets equally many answers. Scores are shares of the best known value (`open/README.md`); of several seeds
the median is shown, and the worst and the best.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from cmaes import CMA

from evograft_program.options import ProgramOptions
from evograft_program.tuning.family import LiteralFamily, find_family

HERE = Path(__file__).parent
FOLDERS = (HERE / "open", HERE.parent / "tests" / "recorded" / "tasks")
SEARCHES: dict[str, tuple[str, ...]] = {
    "composed": ("plugins.islands.with.search=composed", "plugins.islands.with.composed={by: share}"),
    "islands": ("plugins.islands.with.search=islands",),
    "best_of_n": ("plugins.islands.with.search=best_of_n",),
    "sequential": ("plugins.islands.with.search=sequential",),
}
REACH = 3.0
"""Optuna's half range of a number, in the coordinates of `program.tune`, whose steps begin with 1."""
Ask = Callable[[], Sequence[float]]
Tell = Callable[[Sequence[float], float], None]


def find_tasks() -> dict[str, Path]:
    """Return the folders of all tasks by their names."""
    return {path.parent.name: path.parent for folder in FOLDERS for path in sorted(folder.glob("*/evaluate.py"))}


def run_evolve(task: Path, folder: Path, *words: str) -> tuple[float, float]:
    """Run `evo evolve` on a copy of a task; return the best score, and the CPU seconds of all its processes."""
    shutil.copytree(task, folder)
    begin = _spent_by_children()
    _call_evo(folder, "evolve", "program.py", "evaluate.py", "-j1", "--run-dir", "run", *words)
    seconds = _spent_by_children() - begin
    shown = _call_evo(folder, "show", "run", "--trial", "best", "--json")
    return json.loads(shown)["evaluation"]["score"], seconds


def _call_evo(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "evograft", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"evo {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def run_alone(optimiser: str, task: Path, seconds: float, seed: int) -> float:
    """Return the best score that an optimiser finds by itself in a process that may take so much CPU time."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_search, (optimiser, str(task), seconds, seed))


def _search(optimiser: str, task: str, seconds: float, seed: int) -> float:
    """Move the numbers of a program until the CPU time of this process, its imports included, is over."""
    sys.path.insert(0, task)
    from evaluate import evaluate

    source = Path(task, "program.py").read_text(encoding="utf-8")
    family = _find_numbers(source)
    ask, tell = OPTIMISERS[optimiser](len(family.chosen), seed)
    start = best = _score(evaluate, source)
    while time.process_time() < seconds:
        point = ask()
        score = _score(evaluate, family.write(tuple(point))["program.py"])
        best = max(best, score)
        tell(point, score if np.isfinite(score) else min(start, 0.0) - 1)
    return best


def _find_numbers(source: str) -> LiteralFamily:
    options = ProgramOptions.model_validate(
        {"task": {"folder": "."}, "evaluator": {"path": "evaluate.py", "style": "function"}}
    )
    return find_family({"program.py": source}, (), language="python", most=options.tuning.most_literals)


def _score(evaluate: Callable[[str], dict[str, float]], source: str) -> float:
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        path = Path(folder) / "program.py"
        path.write_text(source, encoding="utf-8")
        try:
            return float(evaluate(str(path))["combined_score"])
        except (ArithmeticError, ValueError, TypeError, LookupError):
            return -np.inf


def _by_optuna(count: int, seed: int) -> tuple[Ask, Tell]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial({str(place): 0.0 for place in range(count)})
    asked: list[Any] = []

    def ask() -> list[float]:
        asked.append(study.ask())
        return [asked[-1].suggest_float(str(place), -REACH, REACH) for place in range(count)]

    return ask, lambda _, score: study.tell(asked.pop(), score) and None


def _by_cmaes(count: int, seed: int) -> tuple[Ask, Tell]:
    optimiser = CMA(mean=np.zeros(count), sigma=1.0, seed=seed)
    told: list[tuple[Any, float]] = []

    def tell(point: Sequence[float], score: float) -> None:
        told.append((np.asarray(point), -score))
        if len(told) == optimiser.population_size:
            optimiser.tell(told)
            told.clear()

    return optimiser.ask, tell


OPTIMISERS = {"Optuna": _by_optuna, "CMA-ES": _by_cmaes}


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compare_without_model(task: Path, folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Yield the cells of a task's row: CPU seconds, then what each of the rivals finds in them."""
    found: dict[str, list[float]] = {name: [] for name in ("evo evolve", *OPTIMISERS)}
    taken = []
    for seed in range(given.seeds):
        score, seconds = run_evolve(task, folder / str(seed), "-n", str(given.trials), "--seed", str(seed))
        found["evo evolve"].append(score)
        taken.append(seconds)
        for name in OPTIMISERS:
            found[name].append(run_alone(name, task, seconds, seed))
    yield f"{statistics.median(taken):.0f}"
    yield from map(_describe, found.values())


def compare_searches(task: Path, folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Yield the cells of a task's row: what each search finds with equally many answers."""
    limits = ("-n", str(given.answers + 1), "--set", f"budget.calls={given.answers}", "--set", "window=1")
    for name in given.searches:
        settings = [word for setting in SEARCHES[name] for word in ("--set", setting)]
        found = [
            run_evolve(task, folder / name / str(seed), "--llm", given.llm, *limits, "--seed", str(seed), *settings)[0]
            for seed in range(given.seeds)
        ]
        yield _describe(found)


def _describe(scores: Sequence[float]) -> str:
    return f"{statistics.median(scores):.5f} ({min(scores):.4f} to {max(scores):.4f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = find_tasks()
    parser.add_argument("--tasks", nargs="+", choices=tasks, default=list(tasks))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--trials", type=int, default=200, help="without a model")
    parser.add_argument("--llm", help="DRIVER:MODEL of the model")
    parser.add_argument("--answers", type=int, default=30, help="of the model, for each search and seed")
    parser.add_argument("--searches", nargs="+", choices=SEARCHES, default=list(SEARCHES))
    given = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    columns = given.searches if given.llm else ["CPU seconds", "evo evolve", *OPTIMISERS]
    print(f"| task | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}", flush=True)
    compare = compare_searches if given.llm else compare_without_model
    for name in given.tasks:
        with tempfile.TemporaryDirectory() as folder:
            print(f"| {name} | {' | '.join(compare(tasks[name], Path(folder) / name, given))} |", flush=True)


if __name__ == "__main__":
    main()
