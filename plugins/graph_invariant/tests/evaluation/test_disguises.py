"""Programs that say what they were to predict in other words, and programs that do not."""

from __future__ import annotations

import numpy as np
import pytest

from evograft_graph_invariant.evaluation.data_splits import get_search_sets
from evograft_graph_invariant.formulas.interpreter import interpret
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.graphs.distances import compute_distance_matrix
from evograft_graph_invariant.graphs.features import build_adjacency_matrix


def mean_of(function):
    """The mean over all pairs of a function of the distance."""

    def compute(distances, _matrix, _rng):
        return function(distances[distances > 0]).mean()

    return compute


def resolvent(rate):
    def compute(distances, matrix, _rng):
        inverse = np.linalg.inv(np.eye(len(matrix)) - rate * matrix)
        return np.log(np.abs(inverse[distances > 0])).mean()

    return compute


def from_largest_degrees(count):
    def compute(distances, matrix, _rng):
        degrees = matrix.sum(axis=1)
        return distances[degrees >= np.sort(degrees)[-count]].mean()

    return compute


def blurred(size):
    mean = mean_of(lambda d: d)
    return lambda distances, matrix, rng: mean(distances, matrix, rng) * (1 + size * rng.normal())


DISGUISES = {
    "log Wiener index": lambda d, _m, _rng: np.log(d.sum()) - 2 * np.log(len(d)),
    "root mean square": mean_of(lambda d: d**2.0),
    "power between two that are listed": mean_of(lambda d: d**2.5),
    "geometric mean": mean_of(np.log),
    "hyper-Wiener": mean_of(lambda d: d + d * d),
    "capped": mean_of(lambda d: np.minimum(d, 6)),
    "with a little of the eccentricity": lambda d, _m, _rng: d[d > 0].mean() + 0.01 * np.median(d.max(axis=1)),
    "over pairs and a degree": lambda d, m, _rng: d.sum() / (len(d) * (len(d) - 1) + m.sum(axis=1).max()),
    "resolvent": resolvent(0.01),
    "resolvent of another rate": resolvent(0.015),
    "sampled sources": from_largest_degrees(10),
    "blurred": blurred(1e-3),
}
HONEST = (
    "density(G) - two_hop_share(G) ** -0.172",
    "density(G) ** 1.62 + 0.27 - two_hop_share(G) ** -0.177",
    "algebraic_connectivity(G) ** 0.0251 * two_hop_share(G) ** 0.427 / (1.03 - density(G))",
    "(two_hop_share(G) + normalized_connectivity(G) ** 0.139) / (1.01 - density(G))",
    "density(G) - (two_hop_share(G) + normalized_connectivity(G) ** 0.059) ** (-1.2)",
    "1 - density(G) - two_hop_share(G)",
    "3 - 2 * density(G) - two_hop_share(G)",
    "density(G) + 0.1 * two_hop_share(G)",
    "mean_resistance(G)",
)
"""The formulas that came closest to any forbidden quantity in runs, and ones that two columns say exactly."""

ROOT_MEAN_SQUARE = """def new_invariant(G):
    total = 0
    for start in G:
        seen, front, distance = {start}, [start], 0
        while front:
            total += distance ** 2 * len(front)
            front = list({v for u in front for v in G[u]} - seen)
            seen.update(front)
            distance += 1
    return (total / (len(G) * (len(G) - 1))) ** 0.5
"""


@pytest.fixture(scope="module")
def search(bench):
    return bench.plugin._context_for(bench.problem).search


@pytest.fixture(scope="module")
def graphs(search):
    sets = map(search.tables.load_graphs, get_search_sets(search.options))
    listed = [pair for each in sets for pair in zip(each.sizes, each.edges, strict=True)]
    return [(compute_distance_matrix(n, edges), build_adjacency_matrix(n, edges)) for n, edges in listed]


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguise_is_found_by_its_order(search, graphs, name):
    rng = np.random.default_rng(0)
    values = np.array([DISGUISES[name](distances, matrix, rng) for distances, matrix in graphs])
    assert search.disguises.find(values) is not None
    assert search.disguises.find(np.exp(-values)) is not None, "in any other form, too"


@pytest.mark.parametrize("expression", HONEST)
def test_what_the_columns_say_is_no_disguise(search, expression):
    table = search.table.all
    values = interpret(CandidateProgram.parse(write_program(expression)), table.columns, table.count).values
    assert search.disguises.find(values) is None


def test_a_program_in_disguise_is_refused_and_told_why(make_bench):
    patient = make_bench(cpu_seconds=60)  # what is asked is not how long it takes
    assert patient.rejection(ROOT_MEAN_SQUARE).startswith("leak: the value orders the graphs as the mean distance")


def test_a_program_may_say_what_its_formula_says(bench):
    program = (
        "def new_invariant(G):\n    shares = [density(G), two_hop_share(G)]\n    return 1 - shares[0] - shares[1]\n"
    )
    found, formula = bench.evaluate(program), bench.evaluate("1 - density(G) - two_hop_share(G)")
    assert found.metrics["validation_rho"] == pytest.approx(formula.metrics["validation_rho"])


def test_heat_kernels_are_disguises_of_the_algebraic_connectivity(make_bench):
    bench = make_bench(target="algebraic_connectivity")
    search = bench.plugin._context_for(bench.problem).search
    sets = map(search.tables.load_graphs, get_search_sets(search.options))
    values = []
    for n, edges in (pair for each in sets for pair in zip(each.sizes, each.edges, strict=True)):
        matrix = build_adjacency_matrix(n, edges)
        values.append(np.exp(-2 * np.linalg.eigvalsh(np.diag(matrix.sum(axis=1)) - matrix)).sum())
    assert search.disguises.find(np.array(values)) is not None
    assert search.disguises.find(search.table.all.columns["normalized_connectivity"]) is None


def test_few_graphs_tell_nothing(make_bench):
    small = make_bench(train=10, validation=25)
    few = small.plugin._context_for(small.problem).search
    assert few.disguises.find(few.table.all.target) is None


IMPORTS = {
    "collections": "from collections import Counter\n\ndef new_invariant(G):\n"
    "    return max(Counter(d for _, d in G.degree()).values()) / len(G)",
    "itertools": "import itertools\n\ndef new_invariant(G):\n"
    "    return sum(a * b for a, b in itertools.pairwise(sorted(d for _, d in G.degree()))) / len(G)",
    "statistics": "import statistics as st\n\ndef new_invariant(G):\n    return st.fmean([d for _, d in G.degree()])",
    "typing": "from typing import List\n\ndef new_invariant(G) -> float:\n"
    "    degrees: List[int] = [d for _, d in G.degree()]\n    return sum(degrees) / len(degrees)",
    "functools": "from functools import reduce\n\ndef new_invariant(G):\n"
    "    return reduce(lambda a, b: a + b, [d for _, d in G.degree()]) / len(G)",
    "heapq": "import heapq\n\ndef new_invariant(G):\n    return float(sum(heapq.nlargest(5, [d for _, d in G.degree()])))",
}


WRITTEN = {
    "annotations": "from __future__ import annotations\n\ndef new_invariant(G: nx.Graph) -> float:\n"
    "    return [density(G)][0]",
    "variables with the names of functions": "def new_invariant(G):\n    open, vars = len(G), list(G.degree())\n"
    "    return sum(d for input, d in vars) / open",
    "cut nodes": "def new_invariant(G):\n    return sum(1 for _ in nx.articulation_points(G)) / len(G) - density(G)",
    "blocks": "def new_invariant(G):\n    return max(map(len, nx.biconnected_components(G))) / len(G) + density(G)",
    "bridges": "def new_invariant(G):\n    return sum(1 for _ in nx.bridges(G)) / len(G) - density(G)",
    "a mean-field estimate": "def new_invariant(G):\n    d = np.array([k for _, k in G.degree()], dtype=float)\n"
    "    return math.log(len(G) / d.mean()) / math.log((d ** 2).mean() / d.mean() - 1) + 1",
    "eigenvalues": "def new_invariant(G):\n    w = np.linalg.eigvalsh(nx.to_numpy_array(G))\n"
    "    return float(np.log(len(G)) / np.log(w[-1]))",
    "second neighbours": "def new_invariant(G):\n    total = 0\n    for u in G:\n        near = set(G[u])\n"
    "        total += len(set().union(*(G[v] for v in near)) - near - {u})\n"
    "    n = len(G)\n    return 1 - 2 * G.number_of_edges() / (n * (n - 1)) - total / (n * (n - 1))",
    "walks that return": "def new_invariant(G):\n    A = nx.to_numpy_array(G, nodelist=sorted(G))\n"
    "    return float(np.trace(np.linalg.matrix_power(A / A.sum(axis=1, keepdims=True), 4)))",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_honest_programs_as_models_write_them_are_accepted(make_bench, name):
    assert make_bench(cpu_seconds=60).evaluate(WRITTEN[name]).status == "ok"


@pytest.mark.parametrize("name", IMPORTS)
def test_modules_that_models_import_can_be_used(bench, name):
    assert bench.evaluate(IMPORTS[name]).status == "ok"


@pytest.mark.parametrize(
    "name", ["collections.namedtuple", "typing.get_type_hints", "statistics.random", "functools.sys"]
)
def test_what_evaluates_texts_or_leads_elsewhere_is_not_there(bench, name):
    module, _, attribute = name.partition(".")
    reason = bench.rejection(f"import {module}\n\ndef new_invariant(G):\n    return float(bool({name})) + density(G)")
    assert f"no attribute '{attribute}'" in reason or "not allowed" in reason
