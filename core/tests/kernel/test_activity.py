"""What a look at a live run says of each trial in flight: whether it works, and what it waits for."""

import json
import re
import time
from collections import Counter
from dataclasses import replace

import pytest

from evograft.cli.description import describe
from evograft.cli.progress import Spent
from evograft.runs.mailbox import MOST_DESCRIBED, InFlightTrial
from evograft.runs.status import _time_for, kind_of_failure, read_status
from evograft_hookspecs import CallFinished, Usage

SERIAL = {"more": [{"name": "serial"}], "owners": {"evaluate": "serial"}}


def looked_at(runs, folder, *, until):
    """How the run stands once that is so; far longer than it takes, so that a run that died ends the test."""
    end = time.monotonic() + 120
    while True:
        standing = json.loads(runs.evo("status", folder, "--json").stdout)
        if until(standing):
            return standing
        assert time.monotonic() < end, standing
        time.sleep(0.02)


def activities(standing):
    return Counter(each["activity"] for each in standing["running"])


@pytest.mark.parametrize(
    ("executor", "settings", "at_work"),
    [
        ({"driver": "threads", "workers": 2}, {}, 2),
        ({"driver": "threads", "workers": 4}, SERIAL, 1),
        ({"driver": "processes", "workers": 2}, {}, 2),
    ],
)
def test_a_trial_that_waits_for_an_evaluator_is_told_from_one_that_is_evaluated(
    runs, tmp_path, executor, settings, at_work
):
    held = {"held_at": list(range(3, 20)), "held_until": str(tmp_path / "released")}
    plugins = [{"name": "serial", "with": held}] if settings else []
    pipeline = runs.write(
        trials=12, window=6, executor=executor, with_=held, **{**settings, **({"more": plugins} if settings else {})}
    )
    assert runs.evo("run", pipeline, "--background", "--run-dir", tmp_path / "run").returncode == 0
    wanted = Counter({"evaluating": at_work, "awaiting-evaluator": 6 - at_work})
    standing = looked_at(runs, tmp_path / "run", until=lambda each: activities(each) == wanted)
    text = runs.evo("status", tmp_path / "run").stdout
    assert text.count("waiting for a free evaluator") == 6 - at_work
    later = looked_at(runs, tmp_path / "run", until=lambda each: each["elapsed"] > standing["elapsed"])
    assert later["trials"] == standing["trials"], "the clock goes on between two trials"
    (tmp_path / "released").touch()
    looked_at(runs, tmp_path / "run", until=lambda each: each["state"] == "complete")
    said = (tmp_path / "run" / "output.log").read_text()
    note = "evaluations run one at a time: plugin 'serial' does not declare thread_safe"
    assert (note in said) == bool(settings)


def test_a_trial_that_waits_for_its_model_is_told_from_the_one_that_asks(runs, tmp_path):
    llm = {"driver": "manual", "concurrency": 1}
    pipeline = runs.folder / "pipeline.json"
    pipeline.write_text(
        json.dumps({"name": "asks", "plugins": ["asker"], "budget": {"trials": 9}, "window": 4, "llm": llm})
    )
    started = runs.evo("run", pipeline, "--background", "--run-dir", tmp_path / "run")
    assert started.returncode == 0, started.stderr
    wanted = Counter({"asking": 1, "awaiting-model": 3})
    looked_at(runs, tmp_path / "run", until=lambda each: activities(each) == wanted)
    text = runs.evo("status", tmp_path / "run").stdout
    assert text.count("waiting for the model's turn") == 3
    assert text.count("asking manual") == 1
    assert runs.evo("stop", tmp_path / "run").returncode == 0


def test_of_many_trials_in_flight_the_first_are_described_and_all_are_counted(runs, tmp_path):
    held = {"held_at": list(range(3, 400)), "held_until": str(tmp_path / "released")}
    pipeline = runs.write(trials=400, window=300, executor={"driver": "threads", "workers": 2}, with_=held)
    assert runs.evo("run", pipeline, "--background", "--run-dir", tmp_path / "run").returncode == 0
    standing = looked_at(runs, tmp_path / "run", until=lambda each: each["in_flight"] > 200)
    assert len(standing["running"]) == MOST_DESCRIBED
    # Trials that are rejected at once are in flight in one look and not in the next.
    (others,) = re.findall(r"… and (\d+) more", runs.evo("status", tmp_path / "run").stdout)
    assert 200 < int(others) + 8 <= 300
    assert runs.evo("stop", tmp_path / "run").returncode == 0
    (tmp_path / "released").touch()
    looked_at(runs, tmp_path / "run", until=lambda each: not each["state"].startswith("running"))


def test_the_final_evaluation_is_called_that_and_names_no_operator_of_the_search(runs):
    running = InFlightTrial(trial=3, operator="lab.jump", model="m", repairs=0, since=time.time() - 7, final=True)
    text = describe(replace(read_status(runs.run("run", trials=5)), running=(running,)))
    (line,) = (line for line in text.splitlines() if "trial 3 " in line)
    assert line.split("  ")[1] == "final evaluation of trial 3"
    assert "lab.jump" not in line


def test_the_time_that_is_left_shrinks_between_two_trials_and_stands_while_one_is_overdue():
    at_once, later, overdue = (_time_for(10, 0.5, since=since) for since in (0.0, 1.5, 60.0))
    assert (at_once, later, overdue) == (20.0, 18.5, 18.0)


def test_failures_of_a_kind_are_counted_under_the_words_of_the_first(runs):
    standing = read_status(runs.run("run", trials=60, with_={"rejected_at": [4, 5]}))
    assert standing.failures["rejected on demand"] == 2
    reasons = ["no value on 3 of 50 graphs: graph 7", "no value on 4 of 50 graphs: graph 9"]
    assert len(set(map(kind_of_failure, reasons))) == 1


def test_what_cost_nothing_is_given_no_price():
    spent = Spent()
    call = {"trial": 1, "hook": "mutate", "plugin": "p", "model": "m", "seconds": 1.0}
    spent.add(CallFinished(**call, usage=Usage(prompt_tokens=3, completion_tokens=4, dollars=0.0)))
    assert str(spent) == "  1 call, 7 tokens"
