"""The operators that need no model: what is offered, and what they make of parents and history."""

import random
from types import SimpleNamespace

import pytest

from evograft_ahc.contests.practice import get_practice
from evograft_ahc.search.operators import CHANGES, WEIGHTS, make_candidate, offer_edits
from evograft_ahc.search.tuning.options import OPERATORS, TuningOptions
from evograft_ahc.search.tuning.tunable import read_tunable
from evograft_hookspecs import Candidate, CandidateRejected, Evaluation, Problem, Proposal, Selection, Trial

START = get_practice("practice001").start_program()
SMALL = "constexpr int COUNT = 3;  // evo: param 1..4\nint main() { return COUNT; }\n"
OPTIONS = TuningOptions()
STATEMENT = {
    "problem_statement_summary": "",
    "constraints": {},
    "input_format_description": "",
    "input_variables": [],
    "output_format_description": "",
    "output_variables": [],
    "scoring_rules": {"description": ""},
    "problem_type_tags": [],
    "extracted_keywords": [],
}


class History:
    def __init__(self, trials):
        self.trials = trials

    def trial(self, number):
        return next(trial for trial in self.trials if trial.number == number)

    def latest(self, count):
        return self.trials[-count:]


def trial_of(number, source, *, score=1.0, operator="kernel.seed", status="ok"):
    candidate = Candidate.of(source, kind="cpp", operator=operator, trial=number)
    reason = "" if status == "ok" else "it was not"
    return Trial(
        number=number,
        view=0,
        candidate=candidate,
        evaluation=Evaluation(status=status, score=score, reason=reason),
    )


def context(*trials, seed=1, seeds=(START,), time_limit_ms=2000, model=False):
    statement = STATEMENT | {"time_limit_ms": time_limit_ms}
    analysis = {"statement": statement, "interactive": False, "strategies": [], "library": {}}
    problem = Problem(
        name="c",
        statement="s",
        kind="cpp",
        objective="o",
        analysis=analysis,
        seeds=tuple({"main": source} for source in seeds),
    )
    return SimpleNamespace(
        trial=max((trial.number for trial in trials), default=0) + 1,
        seed=seed,
        rng=random.Random(seed),
        problem=problem,
        history=History(trials),
        llm=SimpleNamespace(available=model),
    )


def make(name, *parents, known=(), options=OPTIONS, **settings):
    ctx = context(*known, *parents, **settings)
    return make_candidate(ctx, Proposal(id=name, operator=f"ahc.{name}"), parents, options)


def offered(*parents, strategy="refine", known=(), options=OPTIONS, **settings):
    selection = Selection(parents=tuple(parent.number for parent in parents), strategy=strategy)
    return {
        each.operator: each.weight for each in offer_edits(context(*known, *parents, **settings), selection, options)
    }


def test_every_operator_of_the_manifest_has_a_change_and_a_weight():
    names = {operator.name for operator in OPERATORS}
    assert set(CHANGES) == names
    assert all(set(weights) == names for weights in WEIGHTS.values())


def test_what_is_offered_depends_on_what_the_parents_allow():
    paceless = START.replace("++step", "step += 1")
    assert set(offered(trial_of(0, START))) == {"ahc.tune", "ahc.nudge", "ahc.scatter", "ahc.pace"}
    assert set(offered(trial_of(0, paceless))) == {"ahc.tune", "ahc.nudge", "ahc.scatter"}
    assert set(offered(trial_of(0, START), time_limit_ms=0)) == {"ahc.tune", "ahc.nudge", "ahc.scatter"}
    assert "ahc.splice" in offered(trial_of(0, START), trial_of(1, paceless), strategy="combine")
    assert "ahc.splice" not in offered(trial_of(0, START), trial_of(1, START), strategy="combine")
    assert offered(trial_of(0, "int main() {}")) == {}
    assert "ahc.pace" not in offered(trial_of(0, START), options=TuningOptions(pace=0))


def test_beside_a_model_less_is_done_without_one():
    alone, beside = offered(trial_of(0, START)), offered(trial_of(0, START), model=True)
    assert set(alone) == set(beside)
    assert all(beside[name] < alone[name] for name in alone if name != "ahc.tune")


def test_marked_numbers_are_tuned_at_once_beside_a_model_until_some_variants_are_known():
    parent = trial_of(0, SMALL)
    variants = [trial_of(n, SMALL.replace("= 3", f"= {n}"), operator="ahc.tune") for n in (1, 2, 4)]
    new = offered(parent, model=True)["ahc.tune"]
    known = offered(parent, known=variants, model=True)["ahc.tune"]
    unmarked = offered(trial_of(0, START.replace("evo: param", "")), model=True)["ahc.tune"]
    assert new > 3 * known
    assert known == unmarked


@pytest.mark.parametrize("name", ["tune", "nudge", "scatter"])
def test_without_parents_the_first_seed_program_is_worked_on(name):
    child = make(name)
    assert child.parents == ()
    assert read_tunable(child.source).is_like(read_tunable(START))
    assert child.source != START


@pytest.mark.parametrize("name", ["tune", "nudge", "scatter"])
def test_the_same_context_makes_the_same_child_and_another_seed_another(name):
    parent = trial_of(0, START)
    assert make(name, parent) == make(name, parent)
    assert make(name, parent) != make(name, parent, seed=2)
    assert make(name, parent).parents == (0,)


def test_tuning_goes_where_scores_are_higher():
    tunable = read_tunable(START)
    trials = [trial_of(0, START)]
    rng = random.Random(0)
    for number in range(1, 101):
        share = rng.random()
        values = [share, *tunable.values[1:]]
        trials.append(trial_of(number, tunable.write(values), score=share, operator="ahc.tune"))
    children = [make("tune", trials[0], known=tuple(trials), seed=seed) for seed in range(10)]
    assert sum(read_tunable(child.source).values[0] > 0.8 for child in children) >= 8


def test_history_beyond_the_family_changes_nothing():
    parent = trial_of(0, START)
    others = tuple(trial_of(number, f"int x{number} = 1;", operator="ahc.tune") for number in range(1, 40))
    assert make("tune", parent, known=others).source == make("tune", parent).source


def test_trials_without_a_program_or_a_score_do_no_harm():
    parent = trial_of(0, START)
    nothing = Trial(number=1, view=0, evaluation=Evaluation.rejected("no"))
    twice = Candidate(kind="cpp", files={"a": "", "b": ""}, operator="ahc.tune", trial=2)
    double = Trial(number=2, view=0, candidate=twice, evaluation=Evaluation.rejected("no"))
    slow = trial_of(3, read_tunable(START).write([0.6, 1, 0.5, 500, 50, 0.5, 20]), score=None, status="rejected")
    assert make("tune", parent, known=(nothing, double, slow)).source


def test_numbers_that_were_tried_are_not_tried_again():
    tunable = read_tunable(SMALL)
    tried = tuple(trial_of(number, tunable.write([number]), operator="ahc.tune") for number in (1, 2, 3))
    for name in ("tune", "nudge", "scatter"):
        assert read_tunable(make(name, tried[0], known=tried).source).values == (4.0,)
    all_of_them = (*tried, trial_of(4, tunable.write([4])))
    with pytest.raises(CandidateRejected, match=r"ahc\.nudge can make nothing"):
        make("nudge", tried[0], known=all_of_them)


def test_two_parents_exchange_functions_or_numbers():
    other = START.replace("return total + (PORTER + load)", "return total + 2 * (PORTER + load)")
    mother, father = trial_of(0, START), trial_of(1, other.replace("FILL = 0.5", "FILL = 0.7"))
    children = [make("splice", mother, father, seed=seed) for seed in range(10)]
    assert {("2 * (PORTER" in child.source, "FILL = 0.7" in child.source) for child in children} == {
        (True, False),
        (False, True),
    }
    assert all(child.parents == (0, 1) for child in children)


def test_where_the_functions_are_the_same_numbers_are_exchanged():
    father = trial_of(1, START.replace("FILL = 0.5", "FILL = 0.7").replace("CLIMB = 0.2", "CLIMB = 0.3"))
    for seed in range(5):
        source = make("splice", trial_of(0, START), father, seed=seed).source
        assert ("FILL = 0.7" in source) != ("CLIMB = 0.3" in source)


def test_a_child_that_would_be_a_parent_is_none():
    numbers = trial_of(1, START.replace("FILL = 0.5", "FILL = 0.7"))
    functions = trial_of(1, START.replace("return total + (PORTER + load)", "return total + 2 * (PORTER + load)"))
    for parents in ((trial_of(0, START), numbers), (trial_of(0, START), functions), (trial_of(0, START),)):
        with pytest.raises(CandidateRejected):
            make("splice", *parents)


def test_the_best_numbers_that_are_known_run_by_the_clock_and_each_of_them_once():
    better = START.replace("FILL = 0.5", "FILL = 0.7")
    known = (trial_of(1, better, score=3.0), trial_of(2, START.replace("FILL = 0.5", "FILL = 0.8"), score=2.0))
    child = make("pace", trial_of(0, START), known=known)
    assert "FILL = 0.7" in child.source
    assert "ahc.pace" in offered(trial_of(0, START), known=known)
    assert "ahc.pace" not in offered(trial_of(0, START), known=(*known, trial_of(3, child.source, score=4.0)))


def test_a_loop_runs_for_a_share_of_the_time_limit_and_is_made_to_once():
    child = make("pace", trial_of(0, START), time_limit_ms=5000)
    assert "PACE_SECONDS = 4;" in child.source
    with pytest.raises(CandidateRejected):
        make("pace", trial_of(0, START), known=(trial_of(1, child.source),), time_limit_ms=5000)
    with pytest.raises(CandidateRejected):
        make("pace", trial_of(0, child.source))


@pytest.mark.parametrize("name", [operator.name for operator in OPERATORS])
@pytest.mark.parametrize("source", ["", "}}}} int 3;", "\0", "const double A = 1e999; // evo: param 1..2", "é" * 1000])
def test_poisoned_programs_are_rejected_or_changed(name, source):
    try:
        child = make(name, trial_of(0, source), trial_of(1, START))
    except CandidateRejected:
        return
    assert child.source != source
