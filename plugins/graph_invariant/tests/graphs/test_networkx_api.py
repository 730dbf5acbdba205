"""Everything that programs are offered can be used where they run."""

from __future__ import annotations

import pytest

from evograft_graph_invariant.evaluation.program_runner import LOADER
from evograft_graph_invariant.graphs.networkx_api import list_offered_functions
from evograft_graph_invariant.graphs.vocabulary import LEVELS
from evograft_graph_invariant.plugin import GraphInvariantPlugin
from evograft_sandbox.functions import FunctionLimits, PythonSandbox

FURTHER_ARGUMENTS = {
    **dict.fromkeys(["neighbors", "all_neighbors", "non_neighbors", "node_connected_component"], "0"),
    **dict.fromkeys(["subgraph", "induced_subgraph"], "[0, 1]"),
    "common_neighbors": "0, 1",
    "k_truss": "3",
    "local_constraint": "0, next(iter(G[0]))",
    "relabel_nodes": "{0: 1000}",
    "rich_club_coefficient": "normalized=False",
}

# A copy has to be computed where the graph itself is looked up; only the first graph is asked about.
CALL = """
def new_invariant(G, asked=[]):
    if asked:
        return 0.0
    asked.append(G)
    for graph in (G, G.copy()):
        found = nx.{name}({arguments})
        if {lazy}:
            list(found)
    return float(len(G))
"""


@pytest.fixture(scope="module", params=["average_shortest_path_length", "algebraic_connectivity"])
def target(request):
    return request.param


@pytest.fixture(scope="module")
def sandbox(target):
    options = GraphInvariantPlugin.Options(master_seed=7, target=target, train=10, validation=25, cache=False)
    arguments = {"master_seed": 7, "options": options.model_dump(mode="json"), "purpose": "search", "folder": None}
    limits = FunctionLimits(cpu_seconds=20.0, wall_seconds=40.0)
    with PythonSandbox(LOADER, arguments, limits=limits) as sandbox:
        yield sandbox


@pytest.mark.long
def test_every_function_that_is_offered_runs_in_the_sandbox(sandbox, target):
    failed = {
        name: reason for name in sorted(list_offered_functions(target, LEVELS[-1])) if (reason := call(sandbox, name))
    }
    assert failed == {}


def call(sandbox, name: str) -> str:
    """Why the function does not run, or nothing."""
    further = FURTHER_ARGUMENTS.get(name)
    arguments = "3" if name == "empty_graph" else "graph" if further is None else f"graph, {further}"
    lazy = "'generator' in str(found)"
    source = CALL.format(name=name, arguments=arguments, lazy=lazy)
    result = sandbox.run(source, function="new_invariant", dataset="train")
    return result.error or "".join(reason for _, reason in result.item_errors)
