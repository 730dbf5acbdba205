"""What the score of one candidate costs: python plugins/graph_invariant/benchmarks/bench_scoring.py.

A formula is timed as the search evaluates it, on all training and validation graphs, and then step by step. No source
is evaluated twice: constants differ from call to call, so that nothing can be remembered that a search would not. A
program is run in the sandbox on the 200 validation graphs, whose invariants the worker shares: CPU of child, worker and
caller. All figures are CPU time; of a formula's the medians.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil

from evograft_graph_invariant.evaluation.data_splits import get_search_sets
from evograft_graph_invariant.evaluation.program_runner import LOADER
from evograft_graph_invariant.evaluation.search_evaluator import SearchEvaluator
from evograft_graph_invariant.formulas.parser import FUNCTION
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.graphs.datasets import load_set
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.run_context import RunContext
from evograft_hookspecs import Candidate
from evograft_sandbox.functions import PythonSandbox

MASTER_SEED = 0
CALLS = 3000
PROGRAM_ROUNDS = 30

T = TypeVar("T")

FORMULAS = (
    "log_trees_per_node(G) - 1.5 / two_hop_share(G) - 1.{:04}",
    "-0.{:04} * (log_estrada_per_node(G) / two_hop_share(G)) ** 0.5 + density(G) + log_estrada_per_node(G)",
    "math.exp(0.{:04} * (-1.23 / two_hop_share(G) + math.log(algebraic_connectivity(G))) + density(G))",
    "max_degree(G) - leaves(G) + 1{:04}",
)
"""A short one, two as long as they may be, and one of whole numbers, whose values are tied."""

PROGRAMS = {
    "constant": "def new_invariant(G):\n    return 1.0\n",
    "nx.average_clustering and degrees": """def new_invariant(G):
    degrees = [degree for _, degree in G.degree()]
    return nx.average_clustering(G) + sum(degrees) / len(degrees) / max(degrees)
""",
    "loop over degrees": """def new_invariant(G):
    total = 0.0
    for _, degree in G.degree():
        total += math.log(1 + degree) / (1 + degree)
    return total / len(G)
""",
    "loop over edges": """def new_invariant(G):
    total = 0.0
    for u, v in G.edges():
        total += 1 / (G.degree(u) * G.degree(v)) ** 0.5
    return total / len(G)
""",
    "loop over neighbours' neighbours": """def new_invariant(G):
    total = 0
    for u in G:
        near = set(G[u])
        for v in G[u]:
            near.update(G[v])
        total += len(near)
    return total / len(G) ** 2
""",
}


def main() -> None:
    options = GraphInvariantOptions(master_seed=MASTER_SEED)
    with tempfile.TemporaryDirectory() as folder:
        bench = RunContext(options, MASTER_SEED)
        for expression in FORMULAS:
            report_formula(bench, expression)
        bench.close()
        for spec in get_search_sets(options):
            load_set(spec, MASTER_SEED, folder=Path(folder))
        arguments = {
            "master_seed": MASTER_SEED,
            "options": options.model_dump(mode="json"),
            "purpose": "search",
            "folder": folder,
        }
        with PythonSandbox(LOADER, arguments) as sandbox:
            for name, source in PROGRAMS.items():
                report_program(sandbox, name, source)


def report_formula(bench: RunContext, formula: str) -> None:
    sources = [write_program(formula.format(1000 + i)) for i in range(2 * CALLS)]
    candidates = [Candidate.of(source, kind="python", operator="bench.formula", trial=0) for source in sources[:CALLS]]
    whole = [cpu_of(lambda candidate=candidate: bench.evaluate(candidate)) for candidate in candidates]
    rounds = [steps(bench.search, source) for source in sources[CALLS:]]
    parts = {name: [costs[name] for costs in rounds] for name in rounds[0]}
    print(
        f"formula of {CandidateProgram.parse(sources[0]).ast_nodes} nodes:",
        ", ".join(f"{name} {statistics.median(costs):.4f}" for name, costs in {"whole": whole, **parts}.items()),
        f"ms; least whole {min(whole):.4f} ms",
    )


def cpu_of(call: Callable[[], object]) -> float:
    """Milliseconds of CPU."""
    started = time.thread_time_ns()
    call()
    return (time.thread_time_ns() - started) / 1e6


def steps(judge: SearchEvaluator, source: str) -> dict[str, float]:
    """Milliseconds of each step, in the order of an evaluation: one repeated alone would find the caches warm."""
    costs: dict[str, float] = {}

    def timed(name: str, call: Callable[[], T]) -> T:
        started = time.thread_time_ns()
        result = call()
        costs[name] = (time.thread_time_ns() - started) / 1e6
        return result

    parsed = timed("read", lambda: CandidateProgram.parse(source))
    values = timed("interpret", lambda: judge.values.interpret(parsed))
    assert values is not None
    ranked = timed("rank", lambda: judge.table.rank(values))
    found = timed("measure", lambda: judge._measure(values, ranked, parsed))
    timed("Evaluation", lambda: judge._scored(found, parsed))
    return costs


def report_program(sandbox: PythonSandbox, name: str, source: str) -> None:
    (worker,) = sandbox._crew._free
    process = psutil.Process(worker.process.pid)
    before = own_seconds(), worker_seconds(process)
    results = [sandbox.run(source, function=FUNCTION, dataset="validation") for _ in range(PROGRAM_ROUNDS)]
    caller, zygote = own_seconds() - before[0], worker_seconds(process) - before[1]
    child = sum(result.cpu_seconds for result in results)
    parts = {"child": child, "worker": zygote, "caller": caller, "sum": child + zygote + caller}
    costs = (f"{part} {1000 * seconds / PROGRAM_ROUNDS:.1f} ms" for part, seconds in parts.items())
    print(f"program {name}:", ", ".join(costs), results[0].error or f"({results[0].failed_items} failed)")


def own_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def worker_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


if __name__ == "__main__":
    main()
