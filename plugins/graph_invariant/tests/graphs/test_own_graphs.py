"""Targets, columns and graphs of the user's, from options to a formula; the page's examples as they stand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import networkx as nx
import pytest
from pydantic import ValidationError

from evograft.api import UserError
from evograft_graph_invariant.graphs.own_functions import load_function
from evograft_graph_invariant.graphs.own_graphs import load_own_graphs
from evograft_graph_invariant.graphs.own_options import GraphOptions
from evograft_graph_invariant.graphs.quantities import Quantity
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.problem import pose_problem, require_same_data

PAGE = Path(__file__).parents[4] / "docs" / "graph-own.md"
TITLED = re.compile(r'```\w+ title="([^"]+)"\n(.*?)```', re.DOTALL)
BLOCKS = dict(TITLED.findall(PAGE.read_text(encoding="utf-8")))
EDGES = nx.cycle_graph(5).edges()


@pytest.fixture
def here(tmp_path, monkeypatch):
    load_function.cache_clear()  # another test's folder may have a file of that name
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_trees(path):
    trees = list(nx.nonisomorphic_trees(9))
    path.write_bytes(b"".join(nx.to_graph6_bytes(tree, header=False) for tree in trees))
    return len(trees)


def write_folder(here, values, count=30):
    folder = here / "graphs"
    folder.mkdir()
    rows = ["graph,value,part"]
    for number in range(count):
        graph = nx.gnp_random_graph(8 + number % 5, 0.5, seed=number)
        nx.write_edgelist(nx.compose(graph, nx.path_graph(len(graph))), folder / f"{number:02}.edgelist", data=False)
        rows.append(f"{number:02}.edgelist,{values(number)},{('train', 'validation', 'test')[number % 3]}")
    (here / "values.csv").write_text("\n".join(rows) + "\n")
    return GraphOptions(files=("graphs",), table="values.csv", split="part")


def test_the_pages_run_finds_a_formula_and_its_report_is_written(runs, here):
    for name, text in BLOCKS.items():
        (here / name).write_text(text)
    write_trees(here / "trees.g6")
    done = runs.evo("run", "mine.yaml", "--run-dir", "run", "--json")
    assert done.returncode == 0, done.stderr
    final = json.loads(done.stdout)["final"]
    assert final["metrics"]["test_rho"] ** 2 > 0.5
    assert "best OOD rho = none" in final["feedback"]
    assert runs.evo("report", "run").returncode == 0
    again = runs.evo("run", "mine.yaml", "--run-dir", "again", "--json")
    assert json.loads(again.stdout)["final"]["feedback"] == final["feedback"]


def test_a_run_goes_on_only_with_the_graphs_that_it_began_with(runs, here):
    for name, text in BLOCKS.items():
        (here / name).write_text(text)
    write_trees(here / "trees.g6")
    assert runs.evo("run", "mine.yaml", "--run-dir", "run").returncode == 0
    (here / "trees.g6").write_bytes(nx.to_graph6_bytes(nx.path_graph(9), header=False) * 47)
    done = runs.evo("resume", "run", "--set", "budget.trials=25")
    assert done.returncode == 2
    assert "have changed since this run began" in done.stderr


@pytest.mark.parametrize("name", ["target.py", "column.py"])
def test_a_run_goes_on_only_with_the_functions_that_it_began_with(runs, here, name):
    (here / "target.py").write_text("def twice(graph):\n    return 2 * len(graph)\n")
    (here / "column.py").write_text("def ends(graph):\n    return sum(1 for v in graph if graph.degree(v) == 1)\n")
    changes = {"quantities.py:spread": "target.py:twice", "quantities.py:ends": "column.py:ends"}
    changes |= {"[trees.g6]": "[]", "count: 40": "count: 60", "trials: 20": "trials: 2"}
    text = BLOCKS["mine.yaml"]
    for old, new in changes.items():
        text = text.replace(old, new)
    (here / "quick.yaml").write_text(text)
    assert runs.evo("run", "quick.yaml", "--run-dir", "run").returncode == 0
    assert runs.evo("resume", "run", "--set", "budget.trials=3").returncode == 0
    (here / name).write_text((here / name).read_text().replace("return ", "return 1 + "))
    done = runs.evo("resume", "run", "--set", "budget.trials=4")
    assert done.returncode == 2
    assert f"{name}:" in done.stderr
    assert "the source has changed since this run began" in done.stderr


def test_a_run_whose_log_has_no_digest_of_functions_goes_on(here):
    (here / "own.py").write_text("def twice(graph):\n    return 2 * len(graph)\n")
    options = GraphInvariantOptions(target="own.py:twice", cache=False)
    began = pose_problem(options, 0)
    older = began.model_copy(update={"analysis": {k: v for k, v in began.analysis.items() if k != "functions"}})
    (here / "own.py").write_text("def twice(graph):\n    return 3 * len(graph)\n")
    with pytest.raises(UserError, match=r"own\.py:twice: the source has changed"):
        require_same_data(began, options, 0)
    require_same_data(older, options, 0)


def test_the_columns_of_a_table_are_target_and_split(make_bench, here):
    graphs = write_folder(here, lambda number: 8 + number % 5, count=90)
    bench = make_bench(target="value", graphs=graphs.model_dump(), atlas_weight=0.1)
    found = bench.evaluate("n(G)")
    assert found.metrics["validation_rho"] == pytest.approx(1)
    assert found.metrics.get("atlas_rho") is None
    assert bench.problem.analysis["graphs"]["train"]["graphs"][:2] == ("00.edgelist:1", "03.edgelist:1")
    final = bench.evaluate("n(G)", purpose="final")
    assert "best test rho = 1.0000" in final.feedback


def test_a_program_may_use_a_column_of_the_users(make_bench, here):
    (here / "own.py").write_text("def twice(graph):\n    return 2 * len(graph)\n")
    generators = [{"name": "random_labeled_tree", "parameters": {"n": {"low": 10, "high": 30}}, "count": 60}]
    bench = make_bench(
        target="wiener_index", own_columns={"own_twice": "own.py:twice"}, graphs={"generators": generators}
    )
    formula = bench.evaluate("own_twice(G)")
    program = "def new_invariant(G):\n    total = 0\n    for _ in range(2):\n        total += own_twice(G)\n    return total\n"
    assert bench.evaluate(program).metrics["validation_rho"] == formula.metrics["validation_rho"]
    assert "own_other" in bench.rejection("own_other(G)")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (lambda number: "" if number == 4 else 1, "value of 04.edgelist:1 is missing"),
        (lambda number: "nan" if number == 4 else 1, "value of 04.edgelist:1 is missing"),
        (lambda number: "much" if number == 4 else 1, "'much', which is no number"),
    ],
)
def test_a_value_that_is_missing_is_named_with_its_graph(here, values, words):
    own = load_own_graphs(write_folder(here, values), 0)
    with pytest.raises(UserError, match=words):
        own.table.read_numbers("value", [graph.name for each in own.splits.values() for graph in each])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("graph,value\n", "has no row for 00.edgelist:1"),
        ("graph\n", "needs a header"),
        ("graph,part\n" + "".join(f"{i:02}.edgelist,tests\n" for i in range(30)), "is 'tests': write train"),
        ("graph,pat\n" + "".join(f"{i:02}.edgelist,test\n" for i in range(30)), "no column 'part'"),
        ("graph,value,part\n07.edgelist,36,1,test\n", "the row of 07.edgelist has 4 cells, and the header has 3"),
        ("graph,value,part\n07.edgelist,36,1,\n", "the row of 07.edgelist has 4 cells"),
        ("graph,value,part,value\n", "has several columns 'value'"),
        ("graph,part\n07.edgelist,test\n07.edgelist,train\n", "has several rows for 07.edgelist: remove all but one"),
        ("graph,part\n07.edgelist,test\n07.edgelist:1,train\n", "has several rows for 07.edgelist:1"),
    ],
)
def test_a_table_that_does_not_fit_is_named(here, text, words):
    options = write_folder(here, lambda _: 1)
    (here / "values.csv").write_text(text)
    with pytest.raises(UserError, match=words):
        load_own_graphs(options, 0)


def test_what_a_spreadsheet_leaves_empty_is_no_second_row_or_column(here):
    options = write_folder(here, lambda number: number)
    lines = (here / "values.csv").read_text().splitlines()
    (here / "values.csv").write_text("\n".join(f"{line},," for line in [*lines, ",,", ",,"]))
    own = load_own_graphs(options, 0)
    assert own.table.read_numbers("value", ["04.edgelist:1"]) == [4]


def test_disconnected_graphs_stand_for_their_largest_component_if_asked(here):
    nx.write_graph6(nx.disjoint_union(nx.path_graph(4), nx.path_graph(2)), here / "two.g6")
    generators = [{"name": "cycle_graph", "parameters": {"n": 6}, "count": 60}]
    given = {"files": ["two.g6"], "generators": generators}
    with pytest.raises(UserError, match=r"two\.g6:1 has 2 components"):
        load_own_graphs(GraphOptions.model_validate(given), 0)
    own = load_own_graphs(GraphOptions.model_validate({**given, "largest_component": True}), 0)
    assert min(graph.n for each in own.splits.values() for graph in each) == 4


@pytest.mark.parametrize(
    ("generator", "words"),
    [
        ({"name": "barabasi_albert_grap"}, "no generator 'barabasi_albert_grap'; did you mean 'barabasi_albert_graph'"),
        ({"name": "cycle_graph", "parameters": {"nodes": 3}}, "networkx.cycle_graph with .* made no graph"),
        ({"name": "gnp_random_graph", "parameters": {"n": 20, "p": 0.0}}, "gnp_random_graph:1 has 20 components"),
        ({"name": "cycle_graph", "parameters": {"n": 5}, "count": 20}, "4 for train, and at least 10"),
    ],
)
def test_a_generator_that_gives_nothing_to_use_is_named(generator, words):
    with pytest.raises(UserError, match=words):
        load_own_graphs(GraphOptions.model_validate({"generators": [generator]}), 0)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(graph):\n    return 1 / 0\n", "failed on the graph g: ZeroDivisionError"),
        ("def f(graph):\n    return float('nan')\n", "gives nan for the graph g"),
        ("def g(graph):\n    return 1\n", "has no function 'f'"),
        ("import nothing_of_the_kind\n", "cannot be run: ModuleNotFoundError"),
    ],
)
def test_a_function_that_fails_is_named_with_the_graph(tmp_path, source, words):
    (tmp_path / "own.py").write_text(source)
    with pytest.raises(UserError, match=words):
        Quantity("f", f"{tmp_path / 'own.py'}:f").compute(2, load_own_edges(), "g")


def load_own_edges():
    own = load_own_graphs(
        GraphOptions.model_validate({"generators": [{"name": "path_graph", "parameters": {"n": 2}, "count": 60}]}), 0
    )
    return own.splits["train"][0].edges


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": "diametre"}, r"'diametre' is no target; did you mean 'diameter'\? \(or name a function as"),
        ({"target": "boiling_point"}, "'boiling_point' is no target; known: algebraic_connectivity, "),
        ({"own_columns": {"own_diam": "diameter"}}, "own_columns.own_diam is 'diameter': name a function as FILE.py:"),
        ({"target": "chromatic_number"}, "more than 40 nodes: lower sizes, large_sizes, extreme_sizes"),
        ({"own_columns": {"ends": "f.py:ends"}}, "String should match pattern"),
        ({"graphs": {}}, "neither files nor generators"),
        ({"graphs": {"files": ["a"], "split": "part"}}, "a column of graphs.table, which is missing"),
        ({"graphs": {"files": ["a"], "shares": [0.5, 0.4, 0.3]}}, "add up to 1.2"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, words):
    with pytest.raises(ValidationError, match=words):
        GraphInvariantOptions.model_validate(options)
