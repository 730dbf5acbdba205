from __future__ import annotations

import numpy as np
import pytest

from evograft_graph_invariant.evaluation.sandbox_loader import load
from evograft_graph_invariant.evaluation.validity import refuse_leaks
from evograft_graph_invariant.formulas.interpreter import interpret
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.graphs import features
from evograft_graph_invariant.graphs.networkx_api import list_offered_functions
from evograft_graph_invariant.plugin import GraphInvariantPlugin
from evograft_hookspecs import CandidateRejected

BREADTH_FIRST = """def new_invariant(G):
    total = 0
    for start in G:
        seen, front, distance = {start}, [start], 0
        while front:
            total += distance * len(front)
            front = list({v for u in front for v in G[u]} - seen)
            seen.update(front)
            distance += 1
    n, m = len(G), G.number_of_edges()
    return RESULT
"""

EXPRESSIONS = [
    "(1 - density(G)) / math.sqrt(two_hop_share(G))",
    "math.log(n(G)) / math.log(average_degree(G)) + transitivity(G)",
    "mean_resistance(G) ** 0.5 * abs(degree_assortativity(G))",
    "nx.density(G) * G.number_of_nodes() - nx.average_clustering(G)",
    "max(spectral_radius(G), laplacian_radius(G)) - np.sqrt(m(G))",
    "1 / leaves(G)",
    "math.log(degree_assortativity(G))",
    "np.log(triangles(G))",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_both_ways_give_the_same_values(expression, bench):
    judge = bench.plugin._context_for(bench.problem).search
    source = f"def new_invariant(G):\n    return {expression}\n"
    run = judge.values.runner.run(source, "validation")
    table = judge.table.validation
    interpreted = interpret(CandidateProgram.parse(source), table.columns, table.count)
    if interpreted is None:
        assert "np." in expression
        return
    assert np.allclose(run.values, interpreted.values, rtol=1e-12, equal_nan=True)
    assert bool(run.failures) == bool(interpreted.failures)
    assert all(not np.isfinite(interpreted.values[index]) for index, _ in run.failures)


def test_a_program_is_scored_like_the_expression_it_computes(bench):
    loop = (
        "def new_invariant(G):\n    x = 1\n    for y in [density(G)]:\n        x -= y\n    return x / two_hop_share(G)"
    )
    first, second = bench.evaluate(loop), bench.evaluate("(1 - density(G)) / two_hop_share(G)")
    for name in ("train_rho", "validation_rho", "worst_slice_rho", "novelty"):
        assert first.metrics[name] == pytest.approx(second.metrics[name])


def test_networkx_is_answered_from_the_shared_columns(bench):
    source = "def new_invariant(G):\n    return [nx.transitivity(G) + nx.degree_assortativity_coefficient(G)][0]"
    result = bench.evaluate(source)
    expected = bench.evaluate("transitivity(G) + degree_assortativity(G)")
    assert result.metrics["train_rho"] == pytest.approx(expected.metrics["train_rho"])


def test_names_may_be_japanese(bench):
    names = "def new_invariant(G):\n    次数 = [d for _, d in G.degree()]\n    return sum(次数) / len(次数)\n"
    assert bench.evaluate(names) == bench.evaluate(names.replace("次数", "degrees"))


def test_imports_that_models_write_are_accepted(bench):
    imports = "import math\nimport numpy as np\nimport networkx as nx\n\n"
    source = f"{imports}def new_invariant(G):\n    return np.log(nx.density(G))"
    assert bench.evaluate(source).status == "ok"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("[1 / (n(G) - 47)][0] if n(G) < 60 else [][0]", "no value on"),
        ("1 / leaves(G)", "ZeroDivisionError"),
        ("math.log(degree_assortativity(G))", "math domain error"),
        ("[float('nan')][0]", "returned nan"),
        ("[float('inf')][0]", "returned inf"),
        ("math.exp(n(G) * 1000)", "OverflowError"),
        ("(-density(G)) ** 0.5", "complex"),
        ("[1j][0]", "returned complex"),
        ("density(G) > 0.1", "returned bool"),
        ("str(density(G))", "returned str"),
        ("[density(G)]", "returned list"),
        ("None", "returned None"),
        ("1 + 1", "same on every graph"),
        ("density(G) * 0", "same on every graph"),
        ("def other(G):\n    return 1\n", "no function named"),
        ("def new_invariant(G:\n", "no valid Python"),
        ("x" * 30_000, "more than 20000 characters"),
        (" + ".join(["n(G)"] * 900), "nested more than 100 levels deep"),
        ("-" * 900 + "n(G)", "nested more than 100 levels deep"),
        ("open('/etc/passwd').read()", "'open' is not allowed"),
    ],
)
def test_invalid_candidates_are_rejected_with_the_reason(source, reason, bench):
    assert reason in bench.rejection(source)


@pytest.mark.parametrize(
    "value",
    [
        " + ".join(["n(G)"] * 90),
        "-" * 90 + "n(G)",
        "(lambda: " * 30 + "n(G)" + ")()" * 30,
        "abs(" * 45 + "n(G)" + ")" * 45,
        "[" * 45 + "n(G)" + "]" * 45 + "[0]" * 45,
    ],
)
def test_whatever_is_not_nested_too_deeply_is_measured(value, make_bench):
    total = make_bench(objective="total", screen=0.0, train=10, validation=25)
    source = f"def new_invariant(G):\n    for node in G:\n        return {value} * density(G)\n"
    assert total.evaluate(source).status == "ok"


@pytest.mark.long
@pytest.mark.parametrize("step", ["math.log(x + 2)", "float(x)", "sum([x, 1])", "x if x > 2 else 3"])
@pytest.mark.parametrize("times", [10, 45, 110, 200, 330, 400])
def test_chains_of_assignments_of_any_length_are_measured(step, times, make_bench):
    source = "def new_invariant(G):\n    x = n(G)\n" + f"    x = {step}\n" * times + "    return x + density(G)\n"
    assert make_bench(screen=0.0, train=10, validation=25).evaluate(source).metrics["ast_nodes"] > times


def test_texts_within_texts_that_cannot_be_written_as_one_are_measured(make_bench):
    text = 'def new_invariant(G):\n    a = f"\\n{n(G)}"\n    b = f"\\n{a}"\n    return len(f"{b}") + density(G)\n'
    assert make_bench(screen=0.0, train=10, validation=25).evaluate(text).status == "ok"


def test_a_program_that_never_ends_is_ended(make_bench):
    bench = make_bench(cpu_seconds=0.3, train=10, validation=25)
    reason = bench.rejection("def new_invariant(G):\n    while True:\n        pass")
    # Whichever bound a busy machine meets first.
    assert "time-out" in reason or "SIGKILL" in reason


def test_answering_on_two_graphs_is_no_perfect_score(bench):
    source = "def new_invariant(G):\n    if n(G) in SIZES:\n        return n(G)\n    raise ValueError('too hard')"
    sizes = bench.plugin._context_for(bench.problem).search.table.train.columns["n"]
    reason = bench.rejection(source.replace("SIZES", str((sizes[0], sizes[1]))))
    assert "no value on" in reason
    assert "too hard" in reason


@pytest.mark.parametrize(
    "expression",
    ["list(G)[0] + density(G)", "sum(u * d for u, d in G.degree())", "next(iter(G.edges()))[1] + density(G)"],
)
def test_a_value_that_depends_on_the_names_is_rejected(expression, bench):
    assert "renamed" in bench.rejection(expression)


@pytest.mark.parametrize(
    "source",
    [
        "np.random.rand()",
        "def new_invariant(G, memory=[]):\n    memory.append(1)\n    return density(G) + len(memory)",
        # the kind of graph goes by number
        "def new_invariant(G, memory=[]):\n    memory.append(1)\n    return density(G) + len(memory) % 5",
    ],
)
def test_two_calls_must_agree(source, bench):
    assert "two calls" in bench.rejection(source)


@pytest.mark.parametrize(
    "expression",
    [
        "nx.average_shortest_path_length(G)",
        "nx.diameter(G)",
        "networkx.wiener_index(G)",
        "nx.algorithms.distance_measures.radius(G)",
        "sum(nx.closeness_centrality(G).values())",
    ],
)
def test_distances_are_refused_by_name(expression, bench):
    assert "is not offered for average_shortest_path_length" in bench.rejection(expression)


def test_distances_are_refused_whatever_the_import(bench):
    source = "from networkx import diameter\n\ndef new_invariant(G):\n    return diameter(G)"
    assert "nx.diameter is not offered" in bench.rejection(source)
    source = "import networkx as other\n\ndef new_invariant(G):\n    return other.diameter(G)"
    assert "diameter" in bench.rejection(source)


@pytest.mark.parametrize(
    "result",
    [
        "total / (n * (n - 1))",
        "-total / (n * (n - 1))",
        "math.log(total / (n * (n - 1)))",
        "total",
        "n / total",
        "total / n ** 3 * (n - 1)",
        "total / (n * (n - 1)) + 0.3 * density(G) - transitivity(G)",
    ],
)
def test_a_target_computed_by_hand_is_a_leak(result, make_bench):
    patient = make_bench(cpu_seconds=60)  # what is asked is not how long it takes
    assert patient.rejection(BREADTH_FIRST.replace("RESULT", result)).startswith("leak")


def test_a_great_formula_is_no_leak(bench):
    search = bench.plugin._context_for(bench.problem).search
    rng = np.random.default_rng(0)
    target = search.table.all.target
    values = target.copy()
    values[:50] = np.log(target[:50])  # the order of the training graphs is perfect
    values[50:] += 0.01 * rng.normal(size=len(values) - 50)
    refuse_leaks(values, search.leaks)
    with pytest.raises(CandidateRejected, match="leak"):
        refuse_leaks(np.exp(target), search.leaks)


def test_columns_of_a_higher_level_are_refused_by_name_and_by_value(make_bench):
    bench = make_bench(level="size")
    assert "may not be used" in bench.rejection("two_hop_share(G)")
    assert "it belongs to level triangles" in bench.rejection("nx.average_clustering(G)")
    assert "numpy.linalg" in bench.rejection("max(np.linalg.eigvalsh(nx.to_numpy_array(G)))")
    assert "max_degree" in bench.rejection("float(max(d for _, d in G.degree()))")
    assert bench.evaluate("density(G) * n(G)").status == "ok"


def test_the_laplacian_is_forbidden_for_algebraic_connectivity(make_bench):
    bench = make_bench(target="algebraic_connectivity")
    assert "may not be used" in bench.rejection("mean_resistance(G)")
    assert "it yields algebraic_connectivity" in bench.rejection("nx.laplacian_spectrum(G)[1]")
    by_hand = """def new_invariant(G):
    A = nx.to_numpy_array(G)
    return float(np.linalg.eigvalsh(np.diag(A.sum(axis=0)) - A)[1])"""
    assert bench.rejection(by_hand).startswith("leak")
    assert bench.evaluate("min_degree(G) * normalized_connectivity(G)").status == "ok"


def test_no_distance_is_offered_for_path_lengths():
    offered = list_offered_functions("average_shortest_path_length", "spectrum")
    words = ("path", "distance", "eccentricity", "diameter", "radius", "closeness", "betweenness", "bfs", "dijkstra")
    assert not {name for name in offered for word in words if word in name} - {"resistance_distance"}


def test_the_worker_holds_neither_target_nor_unseen_graphs():
    options = GraphInvariantPlugin.Options(target="algebraic_connectivity", train=10, validation=25)
    held = load(3, options.model_dump(mode="json"), "search", None)
    assert set(held.datasets) == {"train", "validation"}
    assert not {"algebraic_connectivity", "mean_resistance"} & set(held.names)
    assert len(held.datasets["train"]) == 30


@pytest.mark.parametrize("kept", [True, False])
def test_the_worker_never_computes_what_is_forbidden(tmp_path, monkeypatch, kept):
    def forbidden(*_):
        raise AssertionError("computed in the worker")

    monkeypatch.setattr(features, "_laplacian_columns", forbidden)
    options = GraphInvariantPlugin.Options(target="algebraic_connectivity", train=10, validation=25)
    held = load(3, options.model_dump(mode="json"), "search", str(tmp_path) if kept else None)
    assert "spectral_radius" in held.names
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_counts_its_calls_does_not_know_the_kind_of_graph(make_bench):
    small = make_bench(train=10, validation=50)
    judge = small.plugin._context_for(small.problem).search
    count = "def new_invariant(G, calls=[]):\n    calls.append(1)\n    return float(len(calls) - 1)\n"
    counted = judge.values.runner.run(count, "validation").values
    assert sorted(counted) == list(range(50))
    kinds = judge.table.validation.kinds
    assert max(np.unique(kinds[counted % 5 == 0], return_counts=True)[1]) < 10, "each kind has ten graphs"


def test_candidates_get_copies_of_what_is_shared():
    options = GraphInvariantPlugin.Options(train=10, validation=25)
    held = load(3, options.model_dump(mode="json"), "search", None)
    graph, library = held.datasets["train"][0], held.modules["networkx"]
    library.clustering(graph).clear()
    assert len(library.clustering(graph)) == len(graph)
    assert library.number_of_nodes(graph) == len(graph)
    assert isinstance(library.number_of_nodes(graph), int)
