"""Repeated evaluations, in a real sandbox."""

from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from evograft_hookspecs import Candidate, Evaluation, FrozenDict
from evograft_program.evaluation.evaluator import ProgramEvaluator
from evograft_program.options import TrustOptions
from evograft_program.trust.confirmation import evaluate_in_search
from evograft_program.trust.final import evaluate_at_end

NOISY = """
import random


def evaluate(program_path):
    names = {}
    exec(open(program_path).read(), names)
    noise = random.random()
    return {"combined_score": names["answer"]() + noise, "noise": noise}
"""
RUDE_TO_LATE_SEEDS = """
import os


def evaluate(program_path):
    if int(os.environ["EVOGRAFT_SEED"]) >= 2:
        raise ValueError("too late")
    return {"combined_score": 1.0}
"""


def program(value) -> Candidate:
    return Candidate(
        kind="program", files={"main": f"def answer():\n    return {value}\n"}, operator="program.seed", trial=0
    )


@pytest.fixture
def search(make_options, open_evaluator):
    """Return a function that evaluates a program as a search does, and counts the evaluations."""

    def run(evaluator, value, incumbent=None, **trust):
        opened = open_evaluator(make_options(evaluator))
        calls = []

        def evaluate(**how):
            calls.append(how)
            return opened.evaluate(program(value), **how)

        return evaluate_in_search(evaluate, TrustOptions(**trust), incumbent), calls

    return run


def test_a_single_evaluation_is_what_the_evaluator_said(search):
    evaluation, calls = search(NOISY, 3.0)
    assert evaluation.metrics.keys() == {"combined_score", "noise"}
    assert (evaluation.cases, evaluation.feedback, evaluation.details) == ({}, "", {})
    assert calls == [{"seed": 0, "clean": False}]


def test_repeats_have_seeds_of_their_own_that_all_candidates_share(search):
    first, _ = search(NOISY, 3.0, repeat=3)
    second, _ = search(NOISY, 4.0, repeat=3)
    assert len(set(first.cases.values())) == 3
    assert {name: score + 1 for name, score in first.cases.items()} == pytest.approx(second.cases)


def test_the_mean_and_the_spread_are_recorded(search):
    evaluation, _ = search(NOISY, 3.0, repeat=3)
    scores = list(evaluation.cases.values())
    mean = sum(scores) / 3
    assert evaluation.score == pytest.approx(mean)
    assert evaluation.metrics["score_std"] == pytest.approx((sum((each - mean) ** 2 for each in scores) / 2) ** 0.5)
    assert evaluation.metrics["noise"] == pytest.approx(mean - 3)
    assert evaluation.metrics["evaluations"] == 3
    assert "mean of 3 evaluations with different seeds, standard deviation" in evaluation.feedback


def test_one_failure_fails_the_candidate_without_further_evaluations(search):
    evaluation, calls = search(RUDE_TO_LATE_SEEDS, 3.0, repeat=5)
    reason = "evaluation 3 of 5: ValueError: too late (evaluate.py, line 7)"
    assert (evaluation.status, evaluation.reason) == ("rejected", reason)
    assert len(calls) == 3


def test_a_hopeless_candidate_is_pruned_with_an_estimate(search):
    incumbent, _ = search(NOISY, 9.0, repeat=6)
    evaluation, calls = search(NOISY, 3.0, incumbent, repeat=6)
    assert evaluation.status == "pruned"
    assert len(calls) == 2
    assert 3 <= evaluation.score <= 4
    assert evaluation.reason.startswith("given up after 2 of 6 evaluations: ")


def test_a_better_candidate_has_all_its_repeats(search):
    incumbent, _ = search(NOISY, 3.0, repeat=6)
    evaluation, calls = search(NOISY, 3.1, incumbent, repeat=6)
    assert (evaluation.status, len(calls)) == ("ok", 6)


def test_there_is_no_race_against_an_incumbent_with_other_repeats(search):
    incumbent = Evaluation(status="ok", score=99.0, cases=FrozenDict({"repeat 1": 99.0}))
    evaluation, calls = search(NOISY, 3.0, incumbent, repeat=3)
    assert (evaluation.status, len(calls)) == ("ok", 3)


# -- confirmation ---------------------------------------------------------------------------------------------------


def test_what_is_not_better_than_the_incumbent_is_not_confirmed(search):
    evaluation, calls = search(NOISY, 3.0, Evaluation(status="ok", score=9.0), confirm=3)
    assert len(calls) == 1
    assert "confirmed" not in evaluation.metrics


@pytest.mark.parametrize("incumbent", [None, Evaluation(status="ok", score=2.0)])
def test_a_new_best_is_evaluated_again_with_other_seeds_in_clean_processes(search, incumbent):
    evaluation, calls = search(NOISY, 3.0, incumbent, confirm=3)
    assert calls == [{"seed": 0, "clean": False}, *({"seed": seed, "clean": True} for seed in (1, 2, 3))]
    assert evaluation.score == pytest.approx(sum(evaluation.cases.values()) / 4)
    assert list(evaluation.cases) == ["repeat 1", "confirmation 1", "confirmation 2", "confirmation 3"]
    assert evaluation.metrics["confirmed"] == 1
    assert evaluation.feedback.startswith(f"Confirmed: first {evaluation.cases['repeat 1']:.6g}, then ")
    assert evaluation.details["trust"]["first"] == evaluation.cases["repeat 1"]


def test_luck_is_said_and_does_not_count(search):
    lucky, _ = search(NOISY, 3.0)
    incumbent = Evaluation(status="ok", score=lucky.score - 0.001)
    evaluation, _ = search(NOISY, 3.0, incumbent, confirm=5)
    assert evaluation.status == "ok"
    assert evaluation.score < incumbent.score
    assert evaluation.metrics["confirmed"] == 0
    assert evaluation.feedback.startswith("Not confirmed: first ")


def test_a_candidate_that_fails_when_it_is_confirmed_is_rejected(search):
    evaluation, _ = search(RUDE_TO_LATE_SEEDS, 3.0, repeat=2, confirm=2)
    reason = "not confirmed: ValueError: too late (evaluate.py, line 7)"
    assert (evaluation.status, evaluation.reason) == ("rejected", reason)


def test_with_confirmation_nothing_is_raced(search):
    incumbent, _ = search(NOISY, 9.0, repeat=3)
    evaluation, calls = search(NOISY, 3.0, incumbent, repeat=3, confirm=1)
    assert (evaluation.status, len(calls)) == ("ok", 3)


def test_a_clean_process_gives_the_same_score_as_a_forked_one(make_options, open_evaluator):
    evaluator: ProgramEvaluator = open_evaluator(
        make_options(
            NOISY.replace("random.random()", "np.random.rand()").replace("import random", "import numpy as np")
        )
    )
    scores = [evaluator.evaluate(program(3.0), seed=5, clean=clean).score for clean in (False, True)]
    assert scores[0] == scores[1]
    assert evaluator.evaluate(program(3.0), seed=6, clean=True).score != scores[0]


def test_a_clean_process_is_not_forked_from_one_that_evaluates_others(make_options, sandbox):
    results = []
    with closing(ProgramEvaluator(make_options(NOISY), sandbox, watch=results.append)) as evaluator:
        for clean in (False, False, True):
            evaluator.evaluate(program(3.0), seed=0, clean=clean)
    assert [each.forked for each in results] == [True, True, False]


# -- the end --------------------------------------------------------------------------------------------------------


def at_end(open_evaluator, options, value):
    return evaluate_at_end(partial(open_evaluator(options).evaluate, program(value), is_final=True), options.trust)


def test_the_evaluator_of_the_end_has_the_last_word(make_options, open_evaluator):
    options = make_options(NOISY, trust={"final": "held_out.py"})
    Path(options.task.folder, "held_out.py").write_text(
        "def evaluate(program_path):\n    return {'combined_score': 0.25}\n"
    )
    assert at_end(open_evaluator, options, 3.0).score == 0.25


def test_an_evaluator_that_fails_at_the_end_is_named_and_loses_nothing(make_options, open_evaluator):
    options = make_options(NOISY, trust={"final": "held_out.py"})
    Path(options.task.folder, "held_out.py").write_text("def evaluate(program_path):\n    return undefined\n")
    evaluation = at_end(open_evaluator, options, 3.0)
    assert evaluation.status == "failed"
    assert evaluation.reason.startswith("held_out.py failed at the end: ")


def test_without_another_evaluator_the_end_has_other_seeds(make_options, open_evaluator, search):
    options = make_options(NOISY, trust={"repeat": 2, "confirm": 1})
    in_search, _ = search(NOISY, 3.0, repeat=2, confirm=1)
    final = at_end(open_evaluator, options, 3.0)
    assert not set(in_search.cases.values()) & set(final.cases.values())
