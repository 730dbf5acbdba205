"""Discovery beside other methods, at equal CPU: python plugins/graph_invariant/benchmarks/bench_discovery.py.

For every task, a target and an information level, and every seed: the preset's run as a user starts it, without any
cached data; then gplearn and PyOperon for as many CPU seconds on the same graphs and columns. Both may choose by
everything the run saw (training and validation graphs). Which of two settings each of them uses is decided beforehand:
fitted on the first seed's training graphs, compared on its validation graphs. One method after another, each on one
thread of its own; needs the packages of the dependency group `bench`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import t
from symbolic_methods import ChosenFormulas, Fit, ParsedFormula, build_matrix, fit_gplearn, fit_operon
from threadpoolctl import threadpool_limits

from evograft.runs.reader import open_journal
from evograft_graph_invariant.baselines import protocol
from evograft_graph_invariant.evaluation.data_splits import OOD_NAMES, get_ood_sets, get_search_sets, get_test_sets
from evograft_graph_invariant.graphs.targets import TARGETS, get_allowed_columns
from evograft_graph_invariant.graphs.vocabulary import Level
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.correlation import spearman
from evograft_graph_invariant.scoring.feature_table import FeatureTable, join_tables, load_table
from evograft_graph_invariant.scoring.intervals import estimate_mean_interval
from evograft_hookspecs import Problem


@dataclass(frozen=True)
class Task:
    """What is searched for, by which columns, and what differs from the preset."""

    target: str
    level: Level = "spectrum"
    settings: dict[str, Any] = field(default_factory=dict)
    trials: int | None = None
    """Where they are others than the preset's."""

    @property
    def options(self) -> GraphInvariantOptions:
        return GraphInvariantOptions(target=self.target, level=self.level, **self.settings)

    @property
    def max_nodes(self) -> int:
        """What formulas may have at most, the return included."""
        return self.options.max_nodes + 1

    @property
    def arguments(self) -> list[str]:
        given = {"target": self.target, "level": self.level, "baselines": list(HEADINGS), **self.settings}
        sets = [f"plugins.graph_invariant.with.{key}={json.dumps(value)}" for key, value in given.items()]
        return [part for each in sets for part in ("--set", each)]


HEADINGS = {name: protocol.HEADINGS[name] for name in ("linear", "forest", "best_single", "exhaustive")}
"""What the run itself compares with; symbolic regression is fitted here, its CPU is not the run's."""

WEAK: dict[str, Any] = {
    "objective": "straight",
    "parsimony": 0.0003,
    "steep_cost": 0.01,
    "explore": {"least_squares": True, "rounds": 6},
}
"""Where the columns say little of the target no formula is good in every slice, and larger ones fit chance."""

SHORT_SEARCH = 100
"""Trials there: least squares get far within few."""

TASKS = {
    "paths": Task("average_shortest_path_length"),
    "connectivity": Task("algebraic_connectivity"),
    "degrees": Task("average_shortest_path_length", "degrees", WEAK, SHORT_SEARCH),
    "degrees-60": Task("average_shortest_path_length", "degrees", {**WEAK, "max_nodes": 59}, SHORT_SEARCH),
}
LIMITED = "PyOperon limited"
"""It searches among short trees only, as the run does; its short formula is all that is taken of it."""
LENGTHS = (7, 10, 15)
"""Of these trees, in Operon's nodes: a variable with its weight is one of them, and eight AST nodes."""
RIVALS = ("gplearn", "PyOperon", LIMITED)

SETS = {"test": "test", **OOD_NAMES}
"""What is judged: the heading and the set's name."""

CHOICE_SECONDS = 5.0
QUICK_TRIALS = 30
OWN = "evograft"
AS_SHORT = ", as short"
NONE = math.nan


@dataclass(frozen=True)
class Row:
    """What one method reached with one seed."""

    method: str
    seed: int
    rho: dict[str, float]
    """|ρ| by heading, over the graphs with a finite value."""
    answered: dict[str, float] = field(default_factory=dict)
    nodes: float = NONE
    seconds: float = NONE
    expression: str = ""
    score: float = NONE
    """What the search climbed; it depends on training and validation graphs only."""


@dataclass(frozen=True)
class Data:
    """One seed's graphs: those that were seen, and those for judgement."""

    train: FeatureTable
    validation: FeatureTable
    judged: dict[str, FeatureTable]

    @property
    def seen(self) -> FeatureTable:
        return join_tables(self.train, self.validation)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", default="0-4", type=parsed_seeds, help="for example 0-4 or 0,3")
    parser.add_argument("--tasks", default=",".join(TASKS), help="the default is all of them")
    parser.add_argument("--rivals", default=",".join(RIVALS), help="the default is all of them; '' is none")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_TRIALS} trials: does it work at all?")
    options = parser.parse_args()
    rivals = [name for name in RIVALS if name in options.rivals.split(",")]
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        for name in options.tasks.split(","):
            rows = compare(TASKS[name], Path(folder) / name, options.seeds, rivals, quick=options.quick)
            print(
                "",
                f"{name}:",
                *table_of_seeds(rows),
                "",
                *table_of_means(rows),
                "",
                *table_of_intervals(rows),
                "",
                *lines_of_bars(rows),
                "",
                sep="\n",
                flush=True,
            )


def compare(task: Task, folder: Path, seeds: Sequence[int], rivals: Sequence[str], *, quick: bool) -> list[Row]:
    """All methods with all seeds, one after another."""
    folder.mkdir()
    rows: list[Row] = []
    fits: dict[str, Fit] = {}
    for seed in seeds:
        run = Run(task, folder, seed, quick=quick)
        data = load_data(run)
        rows += shown(run.rows())
        fits = fits or choose_settings(rivals, data, task.max_nodes, 1.0 if quick else CHOICE_SECONDS)
        for name, fit in fits.items():
            started = time.process_time()
            found = fit(data.seen, seed, run.seconds)
            rows += shown(judged(name, seed, found, data, time.process_time() - started))
    return rows


def parsed_seeds(text: str) -> list[int]:
    """`0-2,5` is 0, 1, 2 and 5."""
    ends = [part.split("-") for part in text.split(",")]
    return [seed for part in ends for seed in range(int(part[0]), int(part[-1]) + 1)]


class Run:
    """`evo run --plugin graph_invariant --set seed=N --json` in a folder and with a cache of its own."""

    def __init__(self, task: Task, folder: Path, seed: int, *, quick: bool) -> None:
        self.task = task
        self.seed = seed
        self.cache = folder / "cache" / str(seed)
        run = folder / f"run-{seed}"
        trials = QUICK_TRIALS if quick else task.trials
        command = [sys.executable, "-m", "evograft", "run", "--plugin", "graph_invariant", "--set", f"seed={seed}"]
        command += [
            *task.arguments,
            "--run-dir",
            str(run),
            "--json",
            *(["--trials", str(trials)] if trials else []),
        ]
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache), "OMP_NUM_THREADS": "1"}
        before = children_seconds()
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder, env=environment)
        self.seconds = children_seconds() - before
        self.result: dict[str, Any] = json.loads(done.stdout)
        self.master_seed = master_seed_of(run)

    def rows(self) -> Iterator[Row]:
        metrics = self.result["final"]["metrics"]
        yield Row(
            OWN,
            self.seed,
            {head: abs(metrics[f"{name}_rho"]) for head, name in SETS.items()},
            {head: metrics[f"{name}_answered"] for head, name in SETS.items()},
            metrics["ast_nodes"],
            self.seconds,
            self.result["best"]["candidate"]["files"]["main"].partition("return ")[2].strip(),
            self.result["best"]["evaluation"]["score"],
        )
        for heading in HEADINGS.values():
            key = heading.replace(" ", "_")
            rho = {head: abs(metrics[f"{name}_rho_{key}"]) for head, name in SETS.items()}
            answered = {head: metrics[f"{name}_answered_{key}"] for head, name in SETS.items()}
            yield Row(heading, self.seed, rho, answered)


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def master_seed_of(run: Path) -> int:
    with open_journal(run) as journal:
        problem = next(record for record in journal.records() if isinstance(record, Problem))
    return int(problem.analysis["master_seed"])


def load_data(run: Run) -> Data:
    """The graphs of a run, from its cache."""
    options = run.task.options
    target, columns = TARGETS[options.target], get_allowed_columns(options.target, options.level)
    folder = run.cache / "evograft" / "graph_invariant"

    def load(specs: Sequence) -> list[FeatureTable]:
        return [load_table(spec, run.master_seed, target, columns, folder) for spec in specs]

    train, validation = load(get_search_sets(options))
    outside = zip(OOD_NAMES, load(get_ood_sets(options)), strict=True)
    return Data(train, validation, {"test": reduce(join_tables, load(get_test_sets(options))), **dict(outside)})


def choose_settings(rivals: Sequence[str], data: Data, max_nodes: int, budget: float) -> dict[str, Fit]:
    """The best of a few settings of each rival, by the validation graphs."""
    candidates = {
        "gplearn": {metric: fit_gplearn(metric, max_nodes) for metric in ("spearman", "pearson")},
        "PyOperon": {target: fit_operon(target, max_nodes) for target in ("value", "rank")},
        LIMITED: {
            f"{target}, {longest} nodes": fit_operon(target, max_nodes, longest=longest)
            for target in ("value", "rank")
            for longest in LENGTHS
        },
    }
    chosen: dict[str, Fit] = {}
    for name in rivals:
        settings = candidates[name]
        rho = {}
        for setting, fit in settings.items():
            *_, formula = taken(name, fit(data.train, 0, budget)).values()
            rho[setting] = judge(formula, data.validation)[0] if formula else 0.0
        best = max(rho, key=rho.__getitem__)
        print(f"{name}: validation rho", *(f"{setting} {value:.4f}" for setting, value in rho.items()), f"-> {best}")
        chosen[name] = settings[best]
    return chosen


def taken(name: str, found: ChosenFormulas) -> dict[str, ParsedFormula | None]:
    """The formulas of a rival that have a row."""
    short: dict[str, ParsedFormula | None] = {f"{name}{AS_SHORT}": found.short}
    return short if name == LIMITED else {**short, f"{name}, any size": found.any_size}


def judged(name: str, seed: int, found: ChosenFormulas, data: Data, seconds: float) -> Iterator[Row]:
    for label, formula in taken(name, found).items():
        if formula is None:
            yield Row(label, seed, dict.fromkeys(SETS, NONE), seconds=seconds)
            continue
        results = {head: judge(formula, table) for head, table in data.judged.items()}
        rho = {head: result[0] for head, result in results.items()}
        answered = {head: result[1] for head, result in results.items()}
        yield Row(label, seed, rho, answered, formula.nodes, seconds, formula.expression)


def judge(formula: ParsedFormula, table: FeatureTable) -> tuple[float, float]:
    """|ρ| over the graphs with a finite value, and their share."""
    with np.errstate(all="ignore"):
        values = np.broadcast_to(formula.values(build_matrix(table)), (table.count,))
    finite = np.isfinite(values)
    rho = abs(spearman(values[finite], table.target[finite])) if finite.sum() > 2 else NONE
    return rho, float(finite.mean())


def shown(rows: Iterator[Row]) -> list[Row]:
    """Prints the rows as they come."""
    found = list(rows)
    for row in found:
        cells = (f"{head} {cell}" for head, cell in zip(SETS, rho_cells(row), strict=True))
        print(
            f"seed {row.seed} {row.method:20}",
            *cells,
            f"nodes {number(row.nodes, 0)} CPU {number(row.seconds, 1)} s  {row.expression}",
            flush=True,
        )
    return found


def rho_cells(row: Row) -> list[str]:
    """Each set's ρ, with the share of the graphs that it is over where that is not all of them."""
    shares = [row.answered.get(head, 1.0) for head in SETS]
    return [
        number(rho, 4) + ("" if share == 1.0 else f" ({100 * share:.0f} %)")
        for rho, share in zip(row.rho.values(), shares, strict=True)
    ]


def number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def table_of_seeds(rows: Sequence[Row]) -> Iterator[str]:
    """In Markdown: the runs, one a seed."""
    yield f"| seed | score | {' | '.join(SETS)} | AST nodes | CPU s | formula |"
    yield "|" + " ---: |" * (len(SETS) + 4) + " --- |"
    for row in rows:
        if row.method == OWN:
            cells = " | ".join(rho_cells(row))
            formula = row.expression.replace("(G)", "").replace("math.", "")
            size, seconds = number(row.nodes, 0), number(row.seconds, 1)
            yield f"| {row.seed} | {row.score:.4f} | {cells} | {size} | {seconds} | `{formula}` |"


def table_of_means(rows: Sequence[Row]) -> Iterator[str]:
    """Yield Markdown: the mean over the seeds; in brackets the worst one and the lowest share with a value."""
    yield f"| method | {' | '.join(SETS)} | AST nodes | CPU s |"
    yield "| --- |" + " ---: |" * (len(SETS) + 2)
    for method in each_method(rows):
        mine = [row for row in rows if row.method == method]
        cells = [mean_and_worst(mine, head) for head in SETS]
        nodes = number(statistics.fmean(row.nodes for row in mine), 0)
        seconds = number(statistics.fmean(row.seconds for row in mine), 1)
        yield f"| {method} | {' | '.join(cells)} | {nodes} | {seconds} |"


def table_of_intervals(rows: Sequence[Row]) -> Iterator[str]:
    """Yield Markdown: 95 % intervals of the means, and of the mean lead of evograft over each rival on the same seeds.

    By Student's t, on the scale of Fisher's z where it is ρ itself; seeds on which a method has no value are left out.
    """
    yield f"| 95 % interval of the mean | seeds | {' | '.join(SETS)} |"
    yield "| --- |" + " ---: |" * (len(SETS) + 1)
    by_method = {method: {row.seed: row for row in rows if row.method == method} for method in each_method(rows)}
    for method, found in by_method.items():
        cells = [
            ends(estimate_mean_interval(valid(row.rho[head] for row in found.values()) or [NONE])) for head in SETS
        ]
        yield f"| {method} | {len(found)} | {' | '.join(cells)} |"
    for method, found in by_method.items():
        if method != OWN:
            leads = [[by_method[OWN][seed].rho[head] - row.rho[head] for seed, row in found.items()] for head in SETS]
            cells = [ends(student_interval(valid(lead))) for lead in leads]
            yield f"| lead over {method} | {len(found)} | {' | '.join(cells)} |"


def each_method(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.method for row in rows))


def valid(values: Iterable[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def student_interval(values: Sequence[float]) -> tuple[float, float] | None:
    if len(values) < 2:
        return None
    half = t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.fmean(values) - half, statistics.fmean(values) + half


def ends(interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}"


def lines_of_bars(rows: Sequence[Row]) -> Iterator[str]:
    """The best seed, by the score that was searched, and how often each rival's short formula was behind."""
    own = {row.seed: row for row in rows if row.method == OWN}
    best = max(own.values(), key=lambda row: row.score)
    yield f"best by score: seed {best.seed}, {', '.join(map(' '.join, zip(SETS, rho_cells(best), strict=True)))}"
    for rival in dict.fromkeys(row.method for row in rows if row.method.endswith(AS_SHORT)):
        behind = [row for row in rows if row.method == rival and row.rho["test"] < own[row.seed].rho["test"]]
        yield f"test rho above that of {rival}: {len(behind)} of {len(own)} seeds"


def mean_and_worst(rows: Sequence[Row], head: str) -> str:
    rho = [row.rho[head] for row in rows]
    share = min(row.answered.get(head, 1.0) for row in rows)
    lowest = "" if share == 1.0 else f"; {100 * share:.0f} %"
    return f"{number(statistics.fmean(rho), 4)} ({number(min(rho), 4)}{lowest})"


if __name__ == "__main__":
    main()
