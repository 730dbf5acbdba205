"""The printed functions predict what the final evaluation counted."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from evograft_graph_invariant.evaluation.predictor import write_predictor
from evograft_graph_invariant.formulas.interpreter import interpret
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.graphs.column_expressions import list_assignments
from evograft_graph_invariant.graphs.features import compute_columns
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES
from evograft_graph_invariant.scoring.calibration import SHAPES, StraightCalibration, fit_straight


def defined_by(text, function="predict"):
    names = {}
    exec(text, names)
    return names[function]


@pytest.mark.parametrize(
    "expression",
    [
        "(1 - density(G)) / math.sqrt(two_hop_share(G))",
        "density(G) - (two_hop_share(G) + normalized_connectivity(G) ** 0.059) ** (-1.2)",
        "-np.log(mean_resistance(G) + 2) * (density(G) - (n(G) - m(G)))",
        "abs(math.exp(-density(G)) - 2 ** -two_hop_share(G))",
        "min(n(G), 40) / max(average_degree(G), 3.0)",
    ],
)
def test_the_function_that_is_printed_predicts_what_is_judged(bench, expression):
    table = bench.plugin._context_for(bench.problem).search.table.all
    program = CandidateProgram.parse(write_program(expression))
    values = interpret(program, table.columns, table.count).values
    calibration = fit_straight(values, table.target)
    predict = defined_by(write_predictor(program, calibration, "average_shortest_path_length"))
    names = predict.__code__.co_varnames[: predict.__code__.co_argcount]
    printed = [predict(*(float(table.columns[name][i]) for name in names)) for i in range(table.count)]
    assert np.allclose(printed, calibration.predict(values), rtol=1e-5)


def test_a_program_that_is_no_formula_is_calibrated_by_its_value():
    program = CandidateProgram.parse("def new_invariant(G):\n    return sum(d ** 2 for _, d in G.degree())\n")
    target = np.linspace(1.5, 9.0, 60)
    calibration = fit_straight(np.exp(target), target)
    predict = defined_by(write_predictor(program, calibration, "average_shortest_path_length"))
    assert predict(float(np.exp(4.0))) == pytest.approx(4.0, rel=1e-6)


def test_what_is_printed_predicts_a_graph_without_this_package():
    program = CandidateProgram.parse(write_program(" + ".join(f"{name}(G)" for name in COLUMN_NAMES)))
    calibration = StraightCalibration(is_logarithm=False, shape=SHAPES[0], slope=1.0, intercept=0.0, ends=(-1e9, 1e9))
    printed = write_predictor(program, calibration, "diameter")
    assert "evograft" not in printed
    predict = defined_by(printed, "predict_graph")
    for graph in (nx.karate_club_graph(), nx.petersen_graph(), nx.path_graph(["a", "b", "c"]), nx.complete_graph(5)):
        edges = nx.convert_node_labels_to_integers(graph).edges()
        columns = compute_columns(len(graph), np.array(edges, dtype=np.int32))
        assert predict(graph) == pytest.approx(sum(columns.values()))


@pytest.mark.parametrize("name", COLUMN_NAMES)
def test_a_column_is_printed_as_it_is_computed(name):
    names = {"nx": nx, "np": np, "G": nx.lollipop_graph(5, 4)}
    exec("\n".join(list_assignments([name])), names)
    columns = compute_columns(9, np.array(nx.lollipop_graph(5, 4).edges(), dtype=np.int32))
    assert names[name] == pytest.approx(columns[name])
