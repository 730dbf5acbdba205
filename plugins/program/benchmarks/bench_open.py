"""What is found on open problems that other systems report on: with a model, and without one at equal CPU time.

    OPENBLAS_NUM_THREADS=1 uv run --group bench python plugins/program/benchmarks/bench_open.py
    uv run --group bench python plugins/program/benchmarks/bench_open.py --llm openai:gpt-5-mini --tasks packing capset
    uv run --group bench python plugins/program/benchmarks/bench_open.py --folder openevolve/examples

Without a model, `evo evolve` tunes the numbers of the start program in so many trials; then Optuna and CMA-ES by
themselves move the same numbers, on the same scales, for the CPU time that all processes of the run took. With one,
each search gets equally many answers. Scores are shares of the best known value (`open/README.md`); of several seeds
the median is shown, and the worst and the best. `--folder` takes tasks of OpenEvolve and SkyDiscover as they are, whose
scores are their own, and runs no optimiser by itself.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from cmaes import CMA

from evograft_program.options import ProgramOptions
from evograft_program.tuning.family import LiteralFamily, find_family

HERE = Path(__file__).parent
FOLDERS = (HERE / "open", HERE.parent / "tests" / "recorded" / "tasks")
LAYOUTS = (
    ("program.py", "evaluate.py"),
    ("initial_program.py", "evaluator.py"),
    ("initial_program.py", "evaluator/evaluator.py"),
)
"""What the start program and the evaluator of a task are called: here, in OpenEvolve and in SkyDiscover."""
SEARCHES: dict[str, tuple[str, ...]] = {
    "composed": ("plugins.islands.with.search=composed", "plugins.islands.with.composed={by: bandit}"),
    "islands": ("plugins.islands.with.search=islands",),
    "best_of_n": ("plugins.islands.with.search=best_of_n", "plugins.operators.with.history=0"),
    "sequential": ("plugins.islands.with.search=sequential",),
}
CPU_SECONDS = 22
"""What our tasks give a program, and the import of its libraries. On a busy machine it has them all the same."""
FINAL = "final.py"
"""The evaluator of what is found, in a task that has one."""
REACH = 3.0
"""Optuna's half range of a number, in the coordinates of `program.tune`, whose steps begin with 1."""
Ask = Callable[[], Sequence[float]]
Tell = Callable[[Sequence[float], float], None]


@dataclass(frozen=True)
class Task:
    """A start program and its evaluator, by their paths in a folder."""

    folder: Path
    program: str
    evaluator: str


@dataclass(frozen=True)
class Outcome:
    """What a run of `evo evolve` began with and found, and the CPU seconds of all its processes."""

    start: float | None
    """`None`: the start program was rejected."""
    best: float
    seconds: float


class RunError(Exception):
    """A run that ended with an error, in its words."""


def find_tasks(folders: Sequence[Path]) -> dict[str, Task]:
    """Return all tasks in some folders by where they are there."""
    tasks: dict[str, Task] = {}
    for folder in folders:
        for program, evaluator in LAYOUTS:
            for place in sorted(path.parent for path in folder.rglob(program)):
                if (place / evaluator).is_file():
                    tasks.setdefault(place.relative_to(folder).as_posix(), Task(place, program, evaluator))
    return tasks


def run_evolve(task: Task, folder: Path, *words: str) -> Outcome:
    """Run `evo evolve` on a copy of a task."""
    shutil.copytree(task.folder, folder)
    begin = _spent_by_children()
    final = ("--final", FINAL) if (folder / FINAL).exists() else ()
    _call_evo(folder, "evolve", task.program, task.evaluator, "-j1", "--run-dir", "run", *final, *words)
    seconds = _spent_by_children() - begin
    best = _find_score(folder, "best")
    if best is None:
        raise RunError("no program has a score")
    return Outcome(_find_score(folder, "0"), best, seconds)


def _find_score(folder: Path, trial: str) -> float | None:
    score: float | None = json.loads(_call_evo(folder, "show", "run", "--trial", trial, "--json"))["evaluation"][
        "score"
    ]
    return score


def _call_evo(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "evograft", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunError(f"evo {words[0]} ended with {done.returncode}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def run_alone(optimiser: str, task: Task, seconds: float, seed: int) -> float:
    """Return the best score that an optimiser finds by itself in a process that may take so much CPU time."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_search, (optimiser, str(task.folder), seconds, seed))


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


def compare_without_model(task: Task, folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Yield the cells of a task's row: CPU seconds, the start score, then what each of the rivals finds in them."""
    limits = ("-n", str(given.trials), *given.evaluation)
    runs = [run_evolve(task, folder / str(seed), *limits, "--seed", str(seed)) for seed in range(given.seeds)]
    yield f"{statistics.median(run.seconds for run in runs):.0f}"
    yield "rejected" if runs[0].start is None else f"{runs[0].start:.5f}"
    yield _describe([run.best for run in runs])
    for name in given.optimisers:
        yield _describe([run_alone(name, task, run.seconds, seed) for seed, run in enumerate(runs)])


def compare_searches(task: Task, folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Yield the cells of a task's row: what each search finds with equally many answers."""
    settings = (f"budget.calls={given.answers}", "budget.plateau=null", "window=1")
    limits = ("-n", str(2 * given.answers), *_set(settings))
    for name in given.searches:
        words = ("--llm", given.llm, *limits, *given.evaluation, *_set(SEARCHES[name]))
        yield _describe(
            [
                run_evolve(task, folder / name / str(seed), *words, "--seed", str(seed)).best
                for seed in range(given.seeds)
            ]
        )


def _set(settings: Sequence[str]) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]


def _describe(scores: Sequence[float]) -> str:
    return f"{statistics.median(scores):.5f} ({min(scores):.4f} to {max(scores):.4f})"


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="with tasks of others, instead of ours")
    parser.add_argument("--tasks", nargs="+", help="all where none is named")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--trials", type=int, default=200, help="without a model")
    parser.add_argument("--llm", help="DRIVER:MODEL of the model")
    parser.add_argument("--answers", type=int, default=30, help="of the model, for each search and seed")
    parser.add_argument("--searches", nargs="+", choices=SEARCHES, default=list(SEARCHES))
    parser.add_argument("--python", type=lambda path: Path(path).absolute(), help="the Python that evaluates")
    parser.add_argument("--timeout", help="seconds of an evaluation, instead of the task's CPU seconds")
    given = parser.parse_args()
    found = find_tasks([given.folder] if given.folder else FOLDERS)
    unknown = sorted(set(given.tasks or ()) - found.keys())
    if unknown or not found:
        parser.error(f"no task {', '.join(unknown)}; there are: {', '.join(found)}" if found else "no task there")
    given.tasks = {name: found[name] for name in given.tasks or found}
    given.optimisers = () if given.folder else tuple(OPTIMISERS)
    limit = None if given.folder or given.timeout else f"plugins.program.with.limits.cpu_seconds={CPU_SECONDS}"
    options = (("--python", given.python), ("--timeout", given.timeout), ("--set", limit))
    given.evaluation = [word for name, value in options if value for word in (name, str(value))]
    return given


def main() -> None:
    given = read_arguments()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    columns = given.searches if given.llm else ["CPU seconds", "start", "evo evolve", *given.optimisers]
    print(f"| task | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}", flush=True)
    compare = compare_searches if given.llm else compare_without_model
    for name, task in given.tasks.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = list(compare(task, Path(folder) / "task", given))
            except RunError as err:
                row = [str(err)]
        print(f"| {name} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
