"""What the methods for comparison find and cost: python plugins/graph_invariant/benchmarks/bench_comparison.py.

Every method of the table with the same columns, graphs and CPU, as a number of evaluations, for each target and level;
and the CPU time of one candidate's novelty with its bootstrap intervals, and of SymPy on large formulas. Needs the
packages of the dependency group `bench`.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from functools import reduce
from typing import get_args

import psutil
from threadpoolctl import threadpool_limits

from evograft_graph_invariant.baselines.fit import fit_baselines
from evograft_graph_invariant.baselines.parsed_formulas import compute_answered_rho
from evograft_graph_invariant.baselines.protocol import BaselineName, NotRun
from evograft_graph_invariant.evaluation.data_splits import OOD_NAMES, get_ood_sets, get_search_sets, get_test_sets
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.graphs.cache import get_cache_folder
from evograft_graph_invariant.graphs.targets import TARGETS, get_allowed_columns, get_reference_invariants
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.problem import GRAMMAR_FUNCTIONS
from evograft_graph_invariant.scoring.feature_table import FeatureTable, get_quantities, join_tables, load_table
from evograft_graph_invariant.scoring.novelty import measure_likeness
from evograft_graph_invariant.scoring.simplicity import LARGEST, Simplifier

ROUNDS = 20
FORMULAS = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="the master seed of the graphs")
    parser.add_argument("--seconds", type=float, default=60.0, help="of CPU, for each symbolic method")
    parser.add_argument("--levels", default="degrees,spectrum", help="empty: no tables")
    options = parser.parse_args()
    with threadpool_limits(1):
        for target in TARGETS if options.levels else ():
            for level in options.levels.split(","):
                show_table(GraphInvariantOptions(target=target, level=level), options.seed, options.seconds)
        show_novelty(options.seed)
        show_simplification()


def show_table(options: GraphInvariantOptions, seed: int, seconds: float) -> None:
    train, validation = load(options, seed, get_search_sets(options))
    judged = {"validation": validation, "test": reduce(join_tables, load(options, seed, get_test_sets(options)))}
    judged |= dict(zip(OOD_NAMES, load(options, seed, get_ood_sets(options)), strict=True))
    print(f"\n{options.target}, {options.level}: {len(train.columns)} columns, {seconds:g} s, seed {seed}\n")
    print("| method |", " | ".join(judged), "| AST nodes | evaluations | CPU s | formula |")
    print("| --- |" + " ---: |" * (len(judged) + 3), "--- |")
    for method in get_args(BaselineName):
        started = time.process_time()
        (found,) = fit_baselines(join_tables(train, validation), (method,), seed=seed, seconds=seconds)
        spent = time.process_time() - started
        if isinstance(found, NotRun):
            print(f"| {found.heading} | not run: {found.reason} |")
            continue
        rho = [abs(compute_answered_rho(found.predict(table.columns), table.target)) for table in judged.values()]
        cells = " | ".join(f"{value:.4f}" for value in rho)
        expression = f"`{found.expression}`" if found.expression else "–"
        print(
            f"| {found.heading} | {cells} | {found.nodes or '–'} | {found.evaluations or '–'} | {spent:.1f} "
            f"| {expression} |",
            flush=True,
        )


def load(options: GraphInvariantOptions, seed: int, specs) -> list[FeatureTable]:
    columns = get_allowed_columns(options.target, options.level)
    return [load_table(spec, seed, TARGETS[options.target], columns, get_cache_folder()) for spec in specs]


def show_novelty(seed: int) -> None:
    options = GraphInvariantOptions()
    (table,) = load(options, seed, get_test_sets(options))
    values = (1 - table.columns["density"]) / table.columns["two_hop_share"]
    references = get_quantities(table, get_reference_invariants(options.target))
    print(
        f"\nnovelty of one candidate, {table.count} graphs, {len(references)} references, 1,000 resamples, ms of CPU:"
    )
    for name, given in (("plain", None), ("given the target", table.target)):
        print(f"{name}: {1000 * statistics.median(cpu_seconds(values, references, given) for _ in range(ROUNDS)):.0f}")


def show_simplification() -> None:
    """Random formulas of 100 to 150 nodes, the largest that SymPy is given."""
    rng = random.Random(0)
    simplifier = Simplifier()
    simplifier.simplify(CandidateProgram.parse(write_program("n(G)")))  # starts the child
    found: list[float] = []
    while len(found) < FORMULAS:
        formula = CandidateProgram.parse(write_program(random_expression(rng, 5)))
        if formula.formula is None or not LARGEST - 50 <= formula.ast_nodes <= LARGEST:
            continue
        before = grandchildren_seconds(simplifier)
        simplifier.simplify(formula)
        found.append(grandchildren_seconds(simplifier) - before)
    simplifier.close()
    print(f"SymPy, {FORMULAS} formulas, s of CPU: median {statistics.median(found):.2f}, largest {max(found):.2f}")


def random_expression(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.1:
        return f"{rng.choice(COLUMN_NAMES)}(G)" if rng.random() < 0.7 else f"{rng.uniform(-3, 3):.3g}"
    if rng.random() < 0.7:
        left, right = (random_expression(rng, depth - 1) for _ in range(2))
        return f"({left} {rng.choice(['+', '-', '*', '/', '**'])} {right})"
    return f"{rng.choice(GRAMMAR_FUNCTIONS)}({random_expression(rng, depth - 1)})"


def grandchildren_seconds(simplifier: Simplifier) -> float:
    """CPU of the forks that the simplifier's process has waited for."""
    times = psutil.Process(simplifier._child.pid).cpu_times()
    return times.children_user + times.children_system


def cpu_seconds(values, references, given) -> float:
    started = time.process_time()
    measure_likeness(values, references, seed=0, given=given)
    return time.process_time() - started


if __name__ == "__main__":
    main()
