"""What a model is told about the problem."""

from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.problem import pose_problem

WEIGHTS = {"alpha": 0.5, "beta": 0.2, "gamma": 0.3}


def test_a_model_is_told_how_the_parts_of_the_total_weigh_and_what_novelty_is_measured_by():
    plain = pose_problem(GraphInvariantOptions(objective="total", weights=WEIGHTS), 1)
    assert plain.objective == "0.5 |rho| on validation + 0.2 simplicity + 0.3 novelty"
    assert "novelty, which is 1 less its largest |rho| with a known invariant." in plain.statement
    given = pose_problem(GraphInvariantOptions(objective="total", novelty="given_target"), 1)
    assert "largest partial |rho| with a known invariant, given the target." in given.statement


def test_a_model_is_told_of_novelty_only_where_it_counts():
    problem = pose_problem(GraphInvariantOptions(objective="rho"), 1)
    assert "novelty" not in problem.statement + problem.objective
