"""The printed function predicts what the final evaluation counted."""

from __future__ import annotations

import numpy as np
import pytest

from evograft_graph_invariant.evaluation.predictor import write_predictor
from evograft_graph_invariant.formulas.interpreter import interpret
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.scoring.calibration import fit_straight


def defined_by(text):
    names = {}
    exec(text, names)
    return names["predict"]


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
