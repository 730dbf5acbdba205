from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from pydantic import ValidationError
from scipy.stats import spearmanr

from evograft_graph_invariant.evaluation.run_tables import RunTables
from evograft_graph_invariant.evaluation.sandbox_layers import describe_layers
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.plugin import GraphInvariantPlugin
from evograft_graph_invariant.scoring.simplicity import Simplifier, format_formula
from evograft_sandbox.functions.layers import LAYERS

pytestmark = pytest.mark.long

BEST_SINGLE = "1 / two_hop_share(G)"


def make_context(rng=None):
    return SimpleNamespace(rng=rng or random.Random(0), role="kernel")


def test_importing_the_plugin_imports_no_heavy_library():
    code = """
import sys, evograft_graph_invariant.plugin
print([name for name in ("numpy", "scipy", "networkx", "sympy", "sklearn") if name in sys.modules])
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_set_up_names_the_walls_of_the_sandbox():
    report = GraphInvariantPlugin(GraphInvariantPlugin.Options()).setup_env(make_context())
    assert report.status == "ready"
    assert any("seccomp" in line for line in report.done)


def test_the_problem_survives_json_and_logs_every_graphs_seed(bench):
    problem = type(bench.problem).model_validate_json(bench.problem.model_dump_json())
    assert problem == bench.problem
    graphs = problem.analysis["graphs"]
    assert {name: len(listed["seeds"]) for name, listed in graphs.items()} == {
        "train": 50,
        "validation": 200,
        "test": 200,
        "large_random": 100,
        "extreme_params": 50,
    }
    assert {len(values) for name, values in graphs["train"].items() if name != "kinds"} == {50}
    assert set(graphs["train"]) == {"kinds", "seeds", "parameters", "redraws"}
    assert set(graphs["test"]) == {"kinds", "seeds"}
    assert graphs["train"]["parameters"][1].startswith("N=")
    assert problem.analysis["master_seed"] == 7


def test_the_master_seed_is_drawn_from_the_run_unless_given():
    plugin = GraphInvariantPlugin(GraphInvariantPlugin.Options(train=10, validation=25))
    seeds = [plugin.analyze(make_context(random.Random(seed))).analysis["master_seed"] for seed in (1, 1, 2)]
    assert seeds[0] == seeds[1] != seeds[2]


def test_every_seed_program_and_terminal_can_be_scored(bench):
    grammar = bench.problem.grammar
    assert all(bench.evaluate(seed["main"]).status == "ok" for seed in bench.problem.seeds)
    assert all(bench.evaluate(terminal).status == "ok" for terminal in grammar.terminals)
    assert "algebraic_connectivity(G)" in grammar.terminals


def test_the_target_is_no_terminal_of_its_own_grammar(make_bench):
    terminals = make_bench(target="algebraic_connectivity").problem.grammar.terminals
    assert "algebraic_connectivity(G)" not in terminals
    assert "mean_resistance(G)" not in terminals


def test_scores_are_reproducible_and_of_the_asked_objective(bench, make_bench):
    assert bench.evaluate(BEST_SINGLE) == bench.evaluate(BEST_SINGLE)
    found = make_bench(objective="rho", parsimony=0.001).evaluate(BEST_SINGLE)
    assert found.score == pytest.approx(abs(found.metrics["validation_rho"]) - 0.001 * found.metrics["ast_nodes"])
    robust = bench.evaluate(BEST_SINGLE)
    parts = [abs(robust.metrics["validation_rho"]), robust.metrics["worst_slice_rho"], robust.metrics["linearity"]]
    assert robust.score == pytest.approx(sum(parts) / 3 - 0.0001 * robust.metrics["ast_nodes"])


def test_an_evaluation_names_the_slice_in_which_a_formula_is_worst(bench):
    found = bench.evaluate(BEST_SINGLE)
    table = RunTables(GraphInvariantOptions(), bench.problem.analysis["master_seed"]).load_search_table().all
    slices = {kind: np.flatnonzero(table.kinds == kind) for kind in set(table.kinds.tolist())}
    for name in ("n", "density"):
        fifths = np.split(table.columns[name].argsort(kind="stable"), 5)
        slices |= {f"fifth {place} by {name}": members for place, members in enumerate(fifths, start=1)}
    values = table.columns["two_hop_share"]
    rho = {name: abs(spearmanr(values[graphs], table.target[graphs]).statistic) for name, graphs in slices.items()}
    worst = min(rho, key=rho.get)
    assert found.metrics["worst_slice_rho"] == pytest.approx(rho[worst])
    assert f"worst slice {rho[worst]:+.4f} ({worst}), straightness {found.metrics['linearity']:.4f}" in found.feedback


def test_the_total_score_is_within_bounds_and_uses_sympy(make_bench):
    bench = make_bench(objective="total")
    found = bench.evaluate("1 / (two_hop_share(G) + two_hop_share(G) - two_hop_share(G))")
    nodes, length = 23, len("1/two_hop_share")
    simple = 0.5 / (1 + math.log2(nodes)) + 0.5 / (1 + math.log2(length))
    rho, novelty = abs(found.metrics["validation_rho"]), found.metrics["novelty"]
    assert found.metrics["ast_nodes"] == nodes
    assert found.score == pytest.approx(0.6 * rho + 0.2 * simple + 0.2 * novelty)


def test_weak_candidates_are_screened_out_on_the_training_graphs(bench):
    found = bench.evaluate("n(G) * degree_assortativity(G)")
    assert found.stage == "train"
    assert -1 <= found.score < 0


def test_records_stay_small(bench):
    assert len(bench.evaluate(BEST_SINGLE).model_dump_json()) < 900


@pytest.mark.parametrize(
    "wrong",
    [
        {"sizes": (100, 30)},
        {"target": "girth"},
        {"weights": {"alpha": 0.9}},
        {"objectiv": "rho"},
        {"constants": (2.0, 1.0)},
        {"train": 3},
    ],
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(ValidationError):
        GraphInvariantPlugin.Options(**wrong)


def test_the_preset_is_valid():
    preset = yaml.safe_load(files("evograft_graph_invariant").joinpath("presets/default.yaml").read_text())
    own = next(plugin for plugin in preset["plugins"] if plugin["name"] == "graph_invariant")
    GraphInvariantPlugin.Options(**own.get("with", {}))


@pytest.fixture(scope="module")
def small(make_bench):
    return make_bench(test=50, large=10, extreme=8)


@pytest.fixture(scope="module")
def final(small):
    return small.evaluate("(1 - density(G)) / two_hop_share(G)", purpose="final")


def test_the_final_judgement_ends_with_lines_of_a_fixed_form(final):
    lines = final.feedback.splitlines()
    metrics = final.metrics
    assert lines[-3] == f"best test rho = {abs(metrics['test_rho']):.4f}"
    large, extreme, special = (
        abs(metrics[f"{name}_rho"]) for name in ("large_random", "extreme_params", "special_topology")
    )
    assert lines[-2] == f"best OOD rho = large {large:.4f} extreme {extreme:.4f} special {special:.4f}"
    assert lines[-1] == "AST nodes = 16"
    assert final.score == abs(metrics["test_rho"])


def test_the_final_judgement_compares_with_baselines_and_says_what_it_fitted(final):
    for text in (
        "LinearRegression",
        "RandomForest",
        "best single",
        "exhaustive",
        "PyOperon",
        "def predict(",
        "def predict_graph(G):",
        "# two_hop_share: ",
        "isotonic",
        "karate_club",
    ):
        assert text in final.feedback
    assert final.metrics["special_topology_answered"] == pytest.approx(17 / 18)
    assert 0 <= final.metrics["total"] <= 1
    json.loads(final.model_dump_json())


@pytest.mark.slow
def test_a_program_is_judged_finally_too(small, final):
    source = "def new_invariant(G):\n    x = [density(G)]\n    return (1 - x[0]) / two_hop_share(G)"
    found = small.evaluate(source, purpose="final")
    for name in ("test_rho", "large_random_rho", "special_topology_answered", "sanity_rho"):
        assert found.metrics[name] == pytest.approx(final.metrics[name])


def test_a_program_that_fails_on_other_graphs_is_judged_all_the_same(small):
    source = """def new_invariant(G):
    if n(G) > 200 or n(G) < 20:
        raise ValueError('never seen')
    return [(1 - density(G)) / two_hop_share(G)][0]"""
    found = small.evaluate(source, purpose="final")
    assert found.metrics["large_random_answered"] == 0
    assert found.metrics["large_random_rho"] == 0
    assert found.metrics["test_rho"] > 0.9


def formula(expression):
    return CandidateProgram.parse(f"def new_invariant(G):\n    return {expression}")


def test_sympy_simplifies_in_a_process_of_its_own_and_only_what_is_small():
    simplifier = Simplifier()
    try:
        assert simplifier.simplify(formula("n(G) * 2 - n(G)")).text == "n"
        large = formula(" + ".join(["density(G)"] * 30))
        assert "more than 150 nodes" in simplifier.simplify(large).note
        assert simplifier.simplify(large).text == format_formula(large.formula)
        simplifier._child.kill()
        simplifier._child.wait()
        assert simplifier.simplify(formula("m(G) + m(G)")).text == "2*m"
    finally:
        simplifier.close()


def test_what_isolates_programs_here_is_said_in_one_line():
    (line,) = describe_layers()
    assert re.fullmatch(r"sandbox: (none|\w+(, \w+)*)(; missing: .+)?", line)
    assert {word for word in LAYERS if word in line} == set(LAYERS)
