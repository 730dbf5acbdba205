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


def test_a_model_is_told_what_the_score_is_made_of_and_on_which_graphs():
    problem = pose_problem(GraphInvariantOptions(atlas_weight=0.1, larger_weight=0.3, sizes=(20, 40)), 1)
    assert problem.objective == (
        "mean of |rho| on validation, |rho| in the worst slice and straightness, plus 0.1 |rho| on all graphs of 2 to 7 "
        "nodes, plus 0.3 |rho| on graphs of 100 to 200 nodes, less 0.0001 a syntax node"
    )
    assert "connected and random, with 20 to 40 nodes" in problem.statement
    assert "less by 0.01 for each division, power or logarithm that may be undefined" in problem.statement
    assert "Slices are the graphs of one kind" in problem.statement
    ranks_alone = pose_problem(GraphInvariantOptions(objective="rho"), 1)
    assert "Slices" not in ranks_alone.statement
    assert "undefined" not in ranks_alone.statement


def test_what_columns_give_away_is_not_forbidden():
    assert "beyond_two_share" not in pose_problem(GraphInvariantOptions(level="spectrum"), 1).statement
    assert "beyond_two_share" in pose_problem(GraphInvariantOptions(level="degrees"), 1).statement
