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
        "mean of |rho| on validation, |rho| in the worst slice and straightness, plus 0.1 |rho| on the atlas, plus 0.3 "
        "|rho| on graphs of 100 to 200, less 0.0001 a syntax node"
    )
    assert "the largest components of random ones of 20 to 40 nodes" in problem.statement
    assert "may be undefined on some connected graph lowers the score by 0.01." in problem.statement
    assert "Slices are the graphs of one kind" in problem.statement
    assert "Correlations in slices and on the atlas and on larger graphs count as" in problem.statement


def test_a_model_is_told_nothing_of_what_does_not_count():
    ranks = pose_problem(GraphInvariantOptions(objective="rho", parsimony=0), 1)
    assert ranks.objective == "|rho| on validation"
    assert not any(word in ranks.statement for word in ("Slices", "traight", "undefined", "negative"))
    straight = pose_problem(GraphInvariantOptions(objective="straight", unsafe_cost=0, steep_cost=0.05), 1)
    assert not any(word in straight.statement for word in ("Slices", "undefined", "negative"))
    assert "Each power beyond the third, products of powers included, lowers the score by 0.05." in straight.statement


def test_the_longest_objective_fits_into_a_problem():
    weights = {"atlas_weight": 0.123456, "larger_weight": 0.123456, "parsimony": 0.000123456}
    objective = pose_problem(GraphInvariantOptions(**weights), 1).objective
    assert objective.endswith("less 0.000123456 a syntax node")
    assert len(objective) <= 190, "sizes may have four digits, and a name 200 characters"


def test_a_bound_is_told_to_hold_on_small_graphs_too():
    bound = pose_problem(GraphInvariantOptions(mode="upper"), 1)
    assert "block graphs), and all connected graphs of up to seven nodes." in bound.statement
    assert "Slices" not in bound.statement


def test_what_columns_give_away_is_not_forbidden():
    assert "beyond_two_share" not in pose_problem(GraphInvariantOptions(level="spectrum"), 1).statement
    assert "beyond_two_share" in pose_problem(GraphInvariantOptions(level="degrees"), 1).statement
