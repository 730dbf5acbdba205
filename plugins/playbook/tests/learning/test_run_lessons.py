"""Runs whose model reflects on the way: what it says is tried, and stays only where trials gain by it."""

import json

import pytest
from climb import Climb, model, offered
from fault_server import FaultServer, Reply

from evograft_playbook.learning.findings import read_advice
from evograft_playbook.learning.run_lessons import MOST, OURS

BOOTS, SANDALS, HAT = "Climb in boots.", "Climb in sandals.", "Wear a red hat."
EVERY = 40


@pytest.fixture
def climb(trail, tmp_path, path):
    return Climb(tmp_path, path)


@pytest.fixture
def server():
    with FaultServer() as server:
        yield server


def reflections(server, *answers):
    """Have a server give these answers in turn, then none; return what it is asked."""
    asked = []

    def usual(seen):
        if "Say what it should know or do" not in seen.prompt:
            return Reply(text="{}")
        asked.append(seen.prompt)
        return Reply(text=answers[len(asked) - 1] if len(asked) <= len(answers) else "{}")

    server.usual = usual
    return asked


def reflect(climb, server, name, *, trials=241, **settings):
    playbook = {"reflect_every": EVERY, "learn": False}
    return climb.run(name, trials=trials, playbook=playbook, llm=model(server), **settings)


def told(trial):
    return {advice.text for advice in trial.proposal.advice} if trial.proposal else set()


def answer(*lessons, instructions=()):
    return f"Here:\n```json\n{json.dumps({'lessons': lessons, 'instructions': instructions})}\n```"


def test_what_helps_stays_and_what_harms_or_makes_no_difference_is_given_up(climb, server):
    asked = reflections(server, answer(BOOTS, SANDALS, instructions=[HAT]))
    trials = climb.trials(reflect(climb, server, "run"))
    assert not any(map(told, trials[:EVERY]))
    assert {text for trial in trials[EVERY + 10 : 2 * EVERY] for text in told(trial)} == {BOOTS, SANDALS, HAT}
    late = trials[-EVERY + 10 :]
    assert {text for trial in late for text in told(trial)} == {BOOTS}
    assert 0 < sum(BOOTS in told(trial) for trial in late) < len(late), "some trials go without it"
    assert "(helpful) Climb in boots." in asked[-1]
    assert "given up) Climb in sandals." in asked[-1]
    assert "given up) Wear a red hat." in asked[-1]


def test_the_model_reads_what_gained_and_what_failed_since(climb, server):
    asked = reflections(server)
    reflect(climb, server, "run", trials=2 * EVERY + 1)
    assert len(asked) == 2
    assert "trail.walk" in asked[0].partition("<gains>")[2].partition("</gains>")[0]
    assert "times: the path is washed out" in asked[0]


def test_no_more_than_three_lessons_and_two_instructions_are_taken_and_none_twice(climb, server):
    many = answer(*"abcd", instructions=[*"efg"])
    reflections(server, many, many)
    trials = climb.trials(reflect(climb, server, "run", trials=3 * EVERY))
    assert {text for trial in trials for text in told(trial)} == set("abcef")
    assert {each for trial in trials for each in offered(trial)} == {f"{OURS}run-0000{n}" for n in range(1, 6)}


def test_a_run_never_has_more_than_its_most(climb, server):
    reflections(server, *(answer(*(f"{n}{place}" for place in "abc")) for n in range(20)))
    playbook = {"reflect_every": 2, "learn": False, "left_out": 0.0}
    trials = climb.trials(climb.run("run", trials=60, playbook=playbook, llm=model(server)))
    assert max(len(told(trial)) for trial in trials) <= MOST


@pytest.mark.parametrize(
    "nonsense", ["I have no idea.", '{"lessons": "all"}', '{"lessons": [7, null, "", "\\u001b[31mred"]}', "{" * 5000]
)
def test_a_bad_answer_costs_nothing_but_itself(climb, server, nonsense):
    asked = reflections(server, nonsense, answer(BOOTS))
    trials = climb.trials(reflect(climb, server, "run", trials=3 * EVERY - 1))
    assert len(trials) == 3 * EVERY - 1
    assert len(asked) == 2
    assert {text for trial in trials for text in told(trial)} == {BOOTS}


def test_a_repeated_run_and_one_that_is_resumed_have_the_same_lessons_without_asking_again(climb, server):
    asked = reflections(server, answer(BOOTS, HAT), answer(SANDALS))
    whole = reflect(climb, server, "whole", trials=150, order="trial")
    assert climb.compared(climb.repeat(whole, "again")) == climb.compared(whole)
    assert len(asked) == 3
    asked.clear()
    cut = reflect(climb, server, "cut", trials=97, order="trial")
    climb.go_on(cut, "budget.trials=150")
    assert climb.compared(cut) == climb.compared(whole)
    assert len(asked) == 3


def test_without_a_model_or_the_setting_nothing_is_reflected(climb, server):
    asked = reflections(server, answer(BOOTS))
    climb.run("off", trials=50, llm=model(server), playbook={"learn": False})
    trials = climb.trials(climb.run("alone", trials=50, playbook={"reflect_every": 10, "learn": False}))
    assert not asked
    assert not any(map(told, trials))


def test_advice_is_read_entry_by_entry():
    assert read_advice(answer("a", 3, "b" * 2000, instructions=["c"])) == ("a", "c")
    assert read_advice("nothing") == ()
