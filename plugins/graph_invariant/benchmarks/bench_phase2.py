"""What the large graphs of phase 2 cost: building the data once, and evaluating a candidate, beside phase 1.

Run it with: python plugins/graph_invariant/benchmarks/bench_phase2.py
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from functools import partial

from evograft_graph_invariant.evaluation.data_splits import get_ood_sets, get_search_sets, get_test_sets
from evograft_graph_invariant.experiments.pipeline import PLUGIN, Phase, load_preset, options_of
from evograft_graph_invariant.graphs.cache import get_cache_folder
from evograft_graph_invariant.graphs.datasets import SetSpec, load_distances, load_set
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.run_context import RunContext
from evograft_hookspecs import Candidate, CandidateRejected

MASTER_SEED = 12345
PROGRAMS = {
    "formula": "return density(G) * clustering_coefficient(G)",
    "loop over nodes": "return sum(1.0 / d for _, d in G.degree())",
    "loop over edges": "return sum(1.0 / (G.degree(u) * G.degree(v)) ** 0.5 for u, v in G.edges())",
    "nx.clustering": "return sum(nx.clustering(G).values())",
}
REPEATS = 7


def options_in(phase: Phase) -> GraphInvariantOptions:
    """As specified, with a score that asks no SymPy: that costs the same for graphs of any size."""
    return GraphInvariantOptions.model_validate({**options_of(load_preset(phase), PLUGIN), "objective": "rho"})


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def measure_data(options: GraphInvariantOptions) -> None:
    for spec in (*get_search_sets(options), *get_test_sets(options), *get_ood_sets(options)):
        build = partial(build_set, spec)
        (wall, cpu), (again, _) = seconds(build), seconds(build)
        print(f"  {spec.name:<17} built in {wall:6.1f} s ({cpu:6.1f} s of CPU), read in {again:5.2f} s", flush=True)


def build_set(spec: SetSpec) -> None:
    graphs = load_set(spec, MASTER_SEED, folder=get_cache_folder())
    load_distances(spec, MASTER_SEED, graphs, folder=get_cache_folder())


def measure_candidates(options: GraphInvariantOptions) -> None:
    bench = RunContext(options, MASTER_SEED)
    for name, body in PROGRAMS.items():
        candidate = Candidate.of(f"def new_invariant(G):\n    {body}\n", kind="python", operator="bench.it", trial=0)
        try:
            least = min(seconds(partial(bench.evaluate, candidate))[0] for _ in range(REPEATS))
            print(f"  {name:<17} {1000 * least:8.2f} ms, the least of {REPEATS}")
        except CandidateRejected as err:
            print(f"  {name:<17} {err}")
    bench.close()


def main() -> None:
    phases: tuple[Phase, ...] = (1, 2)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # nothing is built yet
        for phase in phases:
            print(f"phase {phase}")
            measure_data(options_in(phase))
            measure_candidates(options_in(phase))


if __name__ == "__main__":
    main()
