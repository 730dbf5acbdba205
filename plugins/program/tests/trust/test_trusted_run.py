"""Repeats, confirmation and the evaluator of the end in runs, and what status and report say of them."""

import json

import pytest

from evograft_hookspecs import Candidate, Evaluation, FrozenDict, Trial
from evograft_program.trust.notes import describe_best
from evograft_program.trust.sections import TrustFigures

NOISY = """
import random


def evaluate(program_path):
    names = {}
    exec(open(program_path).read(), names)
    x, y = names["point"]()
    return {"combined_score": 10 - (x * x + y * y) ** 0.5 + 0.2 * random.random()}
"""
HELD_OUT = "def evaluate(program_path):\n    return {'combined_score': 0.25}\n"


@pytest.fixture
def noisy(task):
    (task / "evaluate.py").write_text(NOISY)
    (task / "held_out.py").write_text(HELD_OUT)
    return task


def evolve(runs, task, *options):
    return runs.evo("evolve", task / "program.py", task / "evaluate.py", "--llm", "none", *options)


def test_a_run_confirms_its_new_bests_and_ends_with_the_evaluator_of_the_end(runs, noisy, shown):
    done = evolve(runs, noisy, "-n", "8", "--repeat", "2", "--confirm", "2", "--final", noisy / "held_out.py")
    assert done.returncode == 0, done.stderr
    status = json.loads(runs.evo("status", "--json").stdout)
    assert status["final"] == {"score": 0.25, "status": "ok", "reason": ""}
    assert [note.partition(":")[0] for note in status["notes"]] == [
        f"mean of 4 evaluations, standard deviation {status['notes'][0].rpartition(' ')[2]}",
        "confirmed",
    ]
    assert "final     0.25, evaluated after the search" in runs.evo("status").stdout
    (runs.folder / "page.html").write_text("")
    assert runs.evo("report", "--output", runs.folder / "page.html").returncode == 0
    assert "New bests confirmed: " in (runs.folder / "page.html").read_text()
    islands = next(each for each in shown(runs.folder / "runs" / "valley-1")["plugins"] if each["name"] == "islands")
    few_trials = {"when_empty": "borrow", "seeds": "fallback", "migration_every": 1}
    assert islands["with"] == {**few_trials, "incumbent": "overall"}


def test_the_evaluator_of_the_end_may_know_the_score_only(runs, noisy):
    (noisy / "evaluate.py").write_text("def evaluate(program_path):\n    return {'combined_score': 1.0, 'b': 2.0}\n")
    done = evolve(runs, noisy, "-n", "2", "--objective", "combined_score,-b", "--final", noisy / "held_out.py")
    assert done.returncode == 0, done.stderr
    assert json.loads(runs.evo("status", "--json").stdout)["final"]["score"] == 0.25


def test_an_evaluator_of_the_end_that_fails_does_not_lose_the_run(runs, noisy):
    (noisy / "held_out.py").write_text("def evaluate(program_path):\n    return undefined\n")
    done = evolve(runs, noisy, "-n", "3", "--final", noisy / "held_out.py")
    assert done.returncode == 0, done.stderr
    said = runs.evo("status").stdout
    assert "state     complete" in said
    assert "final     failed: held_out.py failed at the end: the evaluator is at fault: NameError: " in said
    assert "(held_out.py, line 2)" in said


def trial(evaluation, number=0) -> Trial:
    candidate = Candidate(kind="program", files={"main": ""}, operator="kernel.seed", trial=number)
    return Trial(number=number, view=0, candidate=candidate, evaluation=evaluation)


def test_nothing_is_said_about_a_score_of_one_evaluation():
    assert list(describe_best(trial(Evaluation(status="ok", score=1.0)))) == []


def test_an_evaluators_own_metric_named_evaluations_is_no_mean():
    own = Evaluation(status="ok", score=1.0, metrics=FrozenDict({"evaluations": 7.0}))
    assert list(describe_best(trial(own))) == []


def test_a_best_that_was_not_confirmed_is_called_so():
    record = FrozenDict({"first": 0.93, "then": 0.71, "confirmed": False, "evaluations": 3})
    evaluation = Evaluation(status="ok", score=0.76, details=FrozenDict({"trust": record}))
    assert list(describe_best(trial(evaluation))) == ["not confirmed: first 0.93, then 0.71"]


def test_figures_of_a_run_without_repeats_are_empty():
    assert TrustFigures.read([]) == TrustFigures()
