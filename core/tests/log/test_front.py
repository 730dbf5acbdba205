"""The front of a run: nobody on it is beaten, everybody else is, and status lists it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from evograft.cli.description import MOST_LINES, describe
from evograft.log.front import ParetoFront
from evograft.runs.status import read_status
from evograft_hookspecs import Candidate, Evaluation, Trial, dominates

values = st.integers(0, 5).map(float)
objectives = st.lists(st.fixed_dictionaries({"fast": values, "small": values}, optional={"odd": values}), max_size=25)


def trial(number, found, **fields):
    evaluation = Evaluation(status="ok", score=float(number % 4), objectives=found)
    candidate = Candidate.of(str(number), kind="text", operator="kernel.seed", trial=number)
    return Trial(number=number, view=0, candidate=candidate, evaluation=evaluation, **fields)


def front_of(trials):
    front = ParetoFront()
    for each in trials:
        front.add(each)
    return front.trials


@given(objectives)
def test_nobody_on_the_front_is_beaten_and_everybody_else_is_beaten_or_equalled(found):
    front = front_of(trial(number, each) for number, each in enumerate(found))
    kept = {each.trial: each.objectives for each in front}
    for number, each in enumerate(found):
        beaten = any(dominates(other, each) for other in found)
        assert (number in kept) == (not beaten and each not in found[:number])
    assert [each.score for each in front] == sorted((each.score for each in front), reverse=True)


def test_a_missing_objective_is_worse_than_any_value():
    assert dominates({"a": 1.0, "b": -1e300}, {"a": 1.0})
    assert not dominates({"a": 1.0}, {"a": 1.0})
    assert not dominates({"a": 2.0}, {"a": 1.0, "b": 0.0})


def test_one_objective_and_duplicates_make_no_front():
    assert front_of([trial(0, {"fast": 1.0}), trial(1, {"fast": 1.0, "small": 1.0}, duplicate_of=0)]) == ()


def test_status_lists_the_front_from_one_end_to_the_other(runs):
    path = runs.run("front", with_={"trading": True}, trials=60)
    standing = read_status(path)
    assert len(standing.front) > MOST_LINES
    lines = describe(standing).splitlines()
    table = lines[lines.index("front") + 1 :][: MOST_LINES + 2]
    assert table[0].split() == ["near", "low"]
    assert table[1].split()[:2] == ["trial", str(standing.front[0].trial)]
    assert table[-2].split()[:2] == ["trial", str(standing.front[-1].trial)]
    assert table[-1] == f"  … and {len(standing.front) - MOST_LINES} more between these"
    assert [each["trial"] for each in json.loads(json.dumps(standing.to_data()))["front"]] == [
        each.trial for each in standing.front
    ]
