"""What the sandbox costs per candidate, over 200 graphs of 100 nodes: python core/benchmarks/bench_sandbox.py."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import psutil

from evograft_sandbox.functions import FunctionResult, PythonSandbox

ROUNDS = 30
LOADER = f"{Path(__file__).parents[1] / 'tests' / 'functions' / 'loader_graphs.py'}:load"
CANDIDATES = {
    "constant": "def f(G):\n    return 1.0\n",
    "degrees": "def f(G):\n    return sum(d * d for _, d in G.degree()) / G.number_of_nodes()\n",
}


def main() -> None:
    with PythonSandbox(LOADER) as sandbox:
        (worker,) = sandbox._crew._free
        process = psutil.Process(worker.process.pid)
        print(f"worker: {process.memory_info().rss >> 20} MB resident, {process.memory_info().vms >> 20} MB mapped")
        for name, source in CANDIDATES.items():
            measure(sandbox, process, name, source)


def measure(sandbox: PythonSandbox, worker: psutil.Process, name: str, source: str) -> None:
    before, started = (own_seconds(), worker_seconds(worker)), time.perf_counter()
    results = [sandbox.run(source, function="f", dataset="graphs") for _ in range(ROUNDS)]
    wall = time.perf_counter() - started
    parent, server = own_seconds() - before[0], worker_seconds(worker) - before[1]
    child = sum(result.cpu_seconds for result in results)
    parts = {"child": child, "worker": server, "caller": parent, "sum": child + server + parent, "wall": wall}
    print(name, *(f"{part} {1000 * seconds / ROUNDS:.1f} ms" for part, seconds in parts.items()), outcome(results[0]))


def own_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def worker_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def outcome(result: FunctionResult) -> str:
    return result.error or f"{result.failed_items} failed items"


if __name__ == "__main__":
    main()
