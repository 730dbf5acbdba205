"""Runs whose candidates an agent makes: with tools, with evaluations on the way, and once more from the log."""

import json
import re
import threading
from pathlib import Path

import pytest
from fault_server import FaultServer, answer

RUN = (
    "<run>\n<command>python -c 'import program; print(program.point())'; date +%s%N; sleep 43210 &\n"
    "echo gone > $TASK/program.py; pwd</command>\n</run>"
)
EVALUATE = "<evaluate>\n</evaluate>"
HAND_IN = "<hand_in>\n<idea>Half of X.</idea>\n</hand_in>"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with FaultServer() as server:
        server.usual = lambda seen: answer(next_step(seen.body["messages"]))
        yield server


def next_step(messages):
    """Return what a simple agent does next: halve X, try it, evaluate it, hand it in."""
    done = sum(message["role"] == "assistant" for message in messages)
    x = float(re.search(r"^# EVOLVE-BLOCK-START\nX = (.*)$", messages[1]["content"], re.MULTILINE)[1])
    edit = f"<<<<<<< SEARCH\nX = {x}\n=======\nX = {x / 2}\n>>>>>>> REPLACE"
    return (f"<patch>\n<edits>\n{edit}\n</edits>\n</patch>", RUN, EVALUATE, HAND_IN)[done]


@pytest.fixture
def arguments(runs, task, server):
    agent = "plugins.operators.with.agent={share: 1, evaluations: 2}"
    return (
        *("evolve", task / "program.py", task / "evaluate.py", "--llm", "openai:agent", "--api-base", server.base_url),
        *("-j", "1", "--set", agent, "--set", "operators={program.tune: 0}", "--set", "window=1"),
        *("--set", "plugins.islands.with.search=sequential"),
    )


def is_running(words):
    return any(words in (each / "cmdline").read_bytes() for each in Path("/proc").glob("[0-9]*") if each.exists())


def test_an_agent_tries_evaluates_and_hands_in_and_is_repeated_without_network(runs, arguments, server):
    done = runs.evo(*arguments, "-n", "3", "-o", "first")
    assert done.returncode == 0, done.stderr
    first = runs.trials(runs.folder / "first")
    assert [each["evaluation"]["score"] for each in first[:2]] == [-32.5, -(1.75**2 + 4.5**2)]
    assert [each["evaluations_before"] for each in first] == [0, 1, 1]
    told = [seen.prompt for seen in server.seen]
    assert len(told) == 8
    assert "exit code 0" in told[2]
    assert "(1.75, 4.5)" in told[2]
    assert "ok, score -23.3125" in told[3]
    assert "evaluations left: 1" in told[3]

    server.close()  # and what `date` says is another time now
    again = runs.evo("run", "--run-dir", "second", "--llm", f"replay:{runs.folder / 'first'}")
    assert again.returncode == 0, again.stderr
    assert runs.trials(runs.folder / "second") == first


def test_a_run_that_is_killed_in_the_middle_of_an_agents_work_continues_there(runs, arguments, server):
    reached, usual = threading.Event(), server.usual

    def stall(seen):
        if sum(message["role"] == "assistant" for message in seen.body["messages"]) == 3:
            reached.set()
            return answer("late", delay=3600)
        return usual(seen)

    server.usual = stall
    process = runs.start("-m", "evograft", *arguments, "-n", "2", "-o", "out")
    assert reached.wait(120), "the agent is not asked a fourth time"
    runs.kill(process)
    asked = len(server.seen)
    server.usual = usual
    done = runs.evo("resume", "out")
    assert done.returncode == 0, done.stderr
    assert len(server.seen) == asked + 1
    (_, trial) = runs.trials(runs.folder / "out")
    assert (trial["evaluation"]["score"], trial["evaluations_before"]) == (-(1.75**2 + 4.5**2), 1)
    assert not is_running(b"sleep\x0043210")


def test_evaluations_on_the_way_count_in_the_budget(runs, arguments):
    done = runs.evo(*arguments, "-n", "9", "-o", "out", "--set", "budget.evaluations=4")
    assert done.returncode == 0, done.stderr
    assert "4 evaluations made" in done.stdout
    assert len(runs.trials(runs.folder / "out")) == 3


def test_a_member_of_a_composed_search_is_a_phase_of_agents(runs, task, server):
    def act(seen):
        step = next_step(seen.body["messages"])
        is_agent = "hand_in" in "".join(message["content"] for message in seen.body["messages"][:2])
        return answer(step if is_agent else re.sub(r"</?(patch|edits)>\n?", "", step))

    server.usual = act
    members = [{"search": "sequential"}, {"search": "sequential", "name": "agent", "strategy": "agent"}]
    composed = {"by": "schedule", "members": [{**each, "trials": 1} for each in members]}
    done = runs.evo(
        *("evolve", task / "program.py", task / "evaluate.py", "--llm", "openai:agent", "--api-base", server.base_url),
        *("-n", "5", "-j", "1", "-o", "out", "--set", "window=1", "--set", "operators={program.tune: 0}"),
        *("--set", f"plugins.islands.with={json.dumps({'search': 'composed', 'composed': composed})}"),
    )
    assert done.returncode == 0, done.stderr
    trials = runs.trials(runs.folder / "out")[1:]
    members = [each["selection"]["member"] for each in trials]
    assert members.count("agent") == members.count("sequential") == 2
    by_agent = [each["proposal"]["operator"] == "operators.agent" for each in trials]
    assert by_agent == [member == "agent" for member in members]


def write(x):
    text = f"# EVOLVE-BLOCK-START\nX = {x}\nY = 4.5\n# EVOLVE-BLOCK-END\n\n\ndef point():\n    return X, Y\n"
    return f"<write>\n<path>main</path>\n<text>\n{text}</text>\n</write>\n"


def run(line):
    return f"<run>\n<command>{line}</command>\n</run>\n"


def describe_faults(folder):
    """Return what agents do wrong, by name: the text of each of their messages, the last of which is repeated."""
    outside = f"echo gone > $TASK/evaluate.py; echo gone > {folder}/escaped; echo gone > {folder}/valley/evaluate.py"
    evaluate_py = "<write>\n<path>../evaluate.py</path>\n<text>\ngone\n</text>\n</write>\n"
    return {
        "talks": ["Let me think."],
        "loops": ["<list_files>\n</list_files>"],
        "evaluates": [write(3 - n) + EVALUATE for n in range(3)],
        "writes outside": [evaluate_py + run(outside), write(1.5), HAND_IN],
        "leaves processes": [run("sleep 43210 & setsid sleep 43210 &"), write(1.4), HAND_IN],
        "prints": [run("yes 0123456789 | head -c 50000000"), write(1.3), HAND_IN],
        "nothing": [write(1.0), HAND_IN],
    }


def test_each_fault_of_an_agent_costs_at_most_its_trial(runs, arguments, server, task):
    faults = describe_faults(runs.folder)
    agents = iter(faults.values())
    working = []

    def act(seen):
        done = sum(message["role"] == "assistant" for message in seen.body["messages"])
        if not done:
            working.append(next(agents))
        return answer(working[-1][min(done, len(working[-1]) - 1)])

    server.usual = act
    before = (task / "evaluate.py").read_text()
    settings = (
        *("--set", "plugins.operators.with.agent={share: 1, evaluations: 2, steps: 4}"),
        *("--set", "operators={program.tune: 0, operators.repair: 0}"),
    )
    done = runs.evo(*arguments, "-n", str(1 + len(faults)), "-o", "out", *settings)
    assert done.returncode == 0, done.stderr
    trials = dict(zip(faults, runs.trials(runs.folder / "out")[1:], strict=True))
    status = {name: each["evaluation"]["status"] for name, each in trials.items()}
    assert [name for name, each in status.items() if each == "rejected"] == ["talks", "loops"]
    assert {name for name, each in status.items() if each == "ok"} == {*faults} - {"talks", "loops"}
    evaluated = {name: each["evaluations_before"] for name, each in trials.items()}
    assert evaluated == {**dict.fromkeys(faults, 0), "evaluates": 2}
    assert trials["evaluates"]["evaluation"]["score"] == -(2**2 + 4.5**2), "the best of those that it has evaluated"
    assert any("ended by the limit of output" in seen.prompt for seen in server.seen)
    assert (task / "evaluate.py").read_text() == (runs.folder / "out" / "task" / "evaluate.py").read_text() == before
    assert not (runs.folder / "escaped").exists()
    assert not is_running(b"sleep\x0043210")
