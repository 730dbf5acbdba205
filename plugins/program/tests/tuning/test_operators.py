"""`program.tune`: when it is offered, and what it makes."""

import re
from pathlib import Path

import pytest

from evograft_hookspecs import Candidate, CandidateRejected, Context, Evaluation, Problem, Proposal, Selection, Trial
from evograft_program.options import ProgramOptions
from evograft_program.plugin import ProgramPlugin
from evograft_program.tuning.operators import TUNE, count_choices

SOURCE = "ALPHA = 0.5\nWINDOW = 12\n\ndef solve(x):\n    return ALPHA * x + 26\n"


class Desk:
    """The plugin, and a history of trials."""

    def __init__(self, source=SOURCE, **tuning):
        required = {"task": {"folder": "."}, "evaluator": {"path": "evaluate.py", "style": "openevolve"}}
        self.options = ProgramOptions.model_validate({**required, "tuning": tuning})
        self.plugin = ProgramPlugin(self.options)
        self.problem = Problem(name="p", statement="s", kind="program", objective="o", seeds=({"main": source},))
        self.trials = {}

    def add(self, source, score, operator="kernel.seed", status="ok"):
        number = len(self.trials)
        candidate = Candidate(kind="program", files={"main": source}, operator=operator, trial=number)
        evaluation = Evaluation(status=status, score=score, reason="" if status == "ok" else "broken")
        self.trials[number] = Trial(number=number, view=number, candidate=candidate, evaluation=evaluation)
        return self.trials[number]

    def trial(self, number):
        return self.trials[number]

    def latest(self, count):
        return tuple(self.trials.values())[-count:]

    def context(self, seed=0):
        return Context(len(self.trials), seed, Path(), 20, llm=None, tools=None, history=self, problem=self.problem)

    def offered(self, *parents):
        return self.plugin.propose(self.context(), Selection(parents=tuple(each.number for each in parents)))

    def tune(self, *parents, seed=0):
        return self.plugin.mutate(self.context(seed), Proposal(id=TUNE, operator=TUNE), parents)


def climb(desk, score, *, trials, seed=0):
    """The best score after some trials."""
    parent = desk.add(SOURCE, score(SOURCE))
    for trial in range(trials):
        child = desk.tune(parent, seed=1000 * seed + trial)
        value = score(child.source)
        desk.add(child.source, value, TUNE, status="ok" if value is not None else "rejected")
    return max(each.score for each in desk.trials.values() if each.score is not None)


def values_of(source):
    return [float(each) for each in re.findall(r"= ([\d.e-]+)", source)]


def test_numbers_are_varied_and_all_else_stays():
    desk = Desk()
    parent = desk.add(SOURCE, 1.0)
    child = desk.tune(parent)
    assert child.kind == "program"
    assert child.operator == "program.tune"
    assert child.parents == (0,)
    assert re.sub(r"= [\d.e-]+", "=", child.source) == re.sub(r"= [\d.]+", "=", SOURCE)
    alpha, window = values_of(child.source)
    assert window == int(window)
    assert (alpha, window) != (0.5, 12)


def test_it_finds_better_numbers_within_sixty_trials():
    def score(source):
        alpha, window = values_of(source)
        return -abs(alpha - 1.3) - abs(window - 31) / 10

    assert climb(Desk(), score, trials=60) > -0.2


def test_a_number_that_must_not_change_is_found_out():
    def score(source):
        alpha, window = values_of(source)
        return -abs(alpha - 1.3) if window == 12 else None

    assert climb(Desk(), score, trials=60) > -0.05


def test_the_same_call_makes_the_same_candidate_whatever_was_asked_before():
    one, other = Desk(), Desk()
    for desk in (one, other):
        desk.add(SOURCE, 1.0)
        for number in range(1, 12):
            desk.add(SOURCE.replace("0.5", f"0.{number}"), float(number), TUNE)
    one.tune(one.trials[0], seed=5)
    assert one.tune(one.trials[0], seed=9) == other.tune(other.trials[3], seed=9).model_copy(update={"parents": (0,)})


def test_candidates_at_the_same_time_differ():
    desk = Desk()
    parent = desk.add(SOURCE, 1.0)
    assert len({desk.tune(parent, seed=seed).source for seed in range(8)}) == 8


def test_the_best_of_the_parents_is_tuned():
    desk = Desk()
    worse, better = desk.add(SOURCE, 1.0), desk.add("BETA = 3.5\n", 2.0, "operators.rewrite")
    assert desk.tune(worse, better).source.startswith("BETA = ")


def test_without_parents_the_first_seed_program_is_tuned():
    child = Desk().tune()
    assert child.parents == ()
    assert child.source.startswith("ALPHA = ")


@pytest.mark.parametrize("source", ["x = y\n", "print('1.5')\n", ""])
def test_a_program_without_numbers_is_not_offered_and_refused(source):
    desk = Desk(source)
    parent = desk.add(source or " ", 1.0)
    assert desk.offered(parent) == ()
    with pytest.raises(CandidateRejected, match=r"program\.tune finds no number to tune"):
        desk.tune(parent)


def test_what_is_switched_off_is_not_offered():
    desk = Desk(enabled=False)
    assert desk.offered(desk.add(SOURCE, 1.0)) == ()


def test_a_program_that_gets_no_better_is_offered_less():
    desk = Desk(weight=2.0)
    parent = desk.add(SOURCE, 1.0)
    (fresh,) = desk.offered(parent)
    for number in range(1, 41):
        desk.add(SOURCE.replace("12", str(number + 12)), 0.5, TUNE)
    (stale,) = desk.offered(parent)
    assert fresh.weight == 2.0
    assert 0 < stale.weight < 1.0
    desk.add(SOURCE.replace("12", "99"), 3.0, TUNE)
    (again,) = desk.offered(parent)
    assert again.weight == 2.0


def test_all_values_that_can_be_reached_may_have_been_tried():
    source = "WINDOW = 3\n"
    desk = Desk(source)
    parent = desk.add(source, 1.0)
    for value in range(1, 200):
        desk.add(f"WINDOW = {value}\n", 1.0, TUNE)
    with pytest.raises(CandidateRejected, match="has tried all values"):
        desk.tune(parent)


def test_no_more_numbers_are_varied_than_the_options_say():
    source = "".join(f"def f{place}(x): return x * 0.{place}5\n" for place in range(1, 9)) + "ALPHA = 0.5\nbeta = 0.7\n"
    desk = Desk(source, most_literals=3)
    assert count_choices({"main": source}, desk.options) == 3
    child = desk.tune(desk.add(source, 1.0)).source
    assert "ALPHA = 0.5\n" not in child
    assert "beta = 0.7\n" not in child
    assert "x * 0.85" in child


def test_a_failed_evaluation_teaches_nothing():
    desk, other = Desk(), Desk()
    parents = [each.add(SOURCE, 1.0) for each in (desk, other)]
    desk.add("ALPHA = 0.5\n", None, status="failed")
    assert desk.tune(parents[0], seed=3).source == other.tune(parents[1], seed=3).source


def test_members_of_a_family_are_known_by_all_that_is_not_tuned():
    desk = Desk()
    parent = desk.add(SOURCE, 1.0)
    desk.add(SOURCE.replace("26", "27"), 9.0, "operators.rewrite")
    assert "+ 26" in desk.tune(parent).source


def test_a_value_that_would_be_no_choice_does_not_split_the_family():
    desk = Desk()
    parent = desk.add(SOURCE, 1.0)
    odd = desk.add(SOURCE.replace("12", "1").replace("0.5", "3.14159"), 2.0, TUNE)
    child = desk.tune(parent, odd)
    assert len(values_of(child.source)) == 2
    assert "3.14159" not in child.source
