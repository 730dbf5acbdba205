from __future__ import annotations

import pytest

from evograft_graph_invariant.evaluation.verdict import Score, give_verdict

SETS = ("train", "validation", "test", "large_random", "extreme_params", "special_topology")


def scores(**rho):
    return {name: Score(rho.get(name, 0.99)) for name in SETS}


def test_a_candidate_succeeds_from_the_bar_and_the_symbolic_baseline_on():
    baselines = {"PyOperon": scores(validation=0.9)}
    for rho, expected in ((0.91, True), (-0.91, True), (0.9, True), (0.89, False), (0.84, False)):
        verdict = give_verdict(scores(validation=rho), 10, baselines)
        assert verdict.success.holds is expected
        assert verdict.phase_two.holds is expected


def test_the_symbolic_baseline_is_pysr_where_it_ran():
    baselines = {"PyOperon": scores(validation=0.5), "PySR": scores(validation=0.97)}
    found = give_verdict(scores(validation=0.96), 10, baselines).success
    assert found.holds is False
    assert "0.9700 of PySR" in found.why


def test_without_a_symbolic_baseline_only_failure_is_decided():
    undecided, failed = (give_verdict(scores(validation=rho), 10, {}) for rho in (0.9, 0.8))
    assert undecided.success.holds is undecided.phase_two.holds is None
    assert "no symbolic baseline ran" in undecided.success.why
    assert failed.success.holds is failed.phase_two.holds is False


def test_the_exhaustive_search_decides_where_no_library_is_installed():
    baselines = {"exhaustive": scores(validation=0.95), "RandomForest": scores(validation=0.999)}
    won, lost = (give_verdict(scores(validation=rho), 10, baselines) for rho in (0.96, 0.94))
    assert won.success.holds is won.phase_two.holds is True
    assert lost.success.holds is lost.phase_two.holds is False
    assert "0.9500 of exhaustive, the symbolic baseline" in won.success.why


def test_a_library_that_ran_decides_instead_of_the_exhaustive_search():
    baselines = {"exhaustive": scores(validation=0.95), "PyOperon": scores(validation=0.97)}
    assert give_verdict(scores(validation=0.96), 10, baselines).success.holds is False


def test_a_success_that_is_not_decided_says_what_would_decide_it():
    why = give_verdict(scores(), 10, {}).success.why
    assert why.endswith(
        "no symbolic baseline ran: the option baselines names none of pysr, operon, exhaustive that can run"
    )


def test_the_strict_verdict_names_the_sets_outside_the_distribution_only_where_there_are_any():
    assert "every OOD set >= 0.95, over the whole of their" in give_verdict(scores(), 30, {}).strict.why
    own = {name: score for name, score in scores().items() if name in {"train", "validation", "test"}}
    strict = give_verdict(own, 30, {}).strict
    assert strict.holds
    assert strict.why == "test rho >= 0.98, over the whole of its 95 % interval, at most 30 AST nodes"


def test_the_strict_verdict_asks_for_the_whole_interval():
    wide, narrow = Score(-0.97, 1.0, (-0.99, -0.92)), Score(-0.97, 1.0, (-0.99, -0.951))
    assert give_verdict({**scores(), "special_topology": narrow}, 30, {}).strict.holds
    verdict = give_verdict({**scores(), "special_topology": wide}, 30, {}).strict
    assert not verdict.holds
    assert verdict.why == "special rho 0.9700, but its 95 % interval begins at 0.9200 < 0.95"


def test_phase_two_asks_for_the_test_graphs_too():
    verdict = give_verdict(scores(test=0.79), 10, {"PyOperon": scores(validation=0.9)})
    assert verdict.success.holds
    assert not verdict.phase_two.holds


@pytest.mark.parametrize(
    ("changes", "nodes", "why"),
    [
        ({"test": Score(0.979999)}, 30, "test rho 0.9799 < 0.98"),
        ({"large_random": Score(0.94)}, 30, "large rho 0.9400 < 0.95"),
        ({"extreme_params": Score(0.999, 0.89)}, 30, "extreme: a value on 89 % < 90 %"),
        ({}, 31, "31 AST nodes > 30"),
    ],
)
def test_the_strict_verdict_names_what_is_missed(changes, nodes, why):
    assert give_verdict(scores(), 30, {}).strict.holds
    verdict = give_verdict({**scores(), **changes}, nodes, {}).strict
    assert not verdict.holds
    assert verdict.why == why
