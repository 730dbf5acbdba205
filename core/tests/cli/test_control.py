"""A live run as others see it and steer it: status, tell, stop, the background, a conversation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pytest
from python_process import run_evo

from evograft.cli.interactive.conversation import chosen, is_question
from evograft.runs.lock_file import LOCK_FILE
from evograft.runs.mailbox import send_message
from evograft_hookspecs import Strategy

ENDING = """
import sys
import time
from pathlib import Path
from evograft.runs.writer_lock import WriterLock

folder = Path(sys.argv[1])
with WriterLock(folder):
    print("held", flush=True)
    while not any(folder.glob("inbox/*.json")):
        time.sleep(0.02)
"""
"""A process that works on a run until somebody leaves a message, which it does not read."""


def told(trial: dict) -> list[str]:
    return [
        advice["text"] for advice in (trial["proposal"] or {"advice": []})["advice"] if advice["id"].startswith("tell")
    ]


@pytest.fixture
def live(runs, tmp_path):
    """A run in the background that goes on until it is stopped, and is stopped at the end of the test."""
    pipeline = runs.write(trials=10_000_000, with_={"late_at": list(range(10_000)), "late_seconds": 0.2})
    started = runs.evo("run", pipeline, "--background", "--json", "--run-dir", tmp_path / "live")
    assert started.returncode == 0, started.stderr
    yield tmp_path / "live"
    runs.evo("stop", tmp_path / "live")


def wait_for(condition) -> None:
    """Far longer than it takes, so that a run that died ends the test."""
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


def test_a_run_in_the_background_is_seen_told_something_and_stopped(runs, live):
    wait_for(lambda: json.loads(runs.evo("status", live, "--json").stdout)["trials"] > 0)
    standing = json.loads(runs.evo("status", live, "--json").stdout)
    assert standing["state"] == "running"
    assert {running["operator"] for running in standing["running"]} <= {"lab.step", "lab.jump", "kernel.seed"}
    assert runs.evo("tell", live, "try beam search").stdout == "instruction queued for live\n"
    wait_for(lambda: any(map(told, runs.trials(live)[-5:])))
    stopped = runs.evo("stop", live)
    assert "stopped live; resume it with: evo resume" in stopped.stdout
    assert json.loads(runs.evo("status", live, "--json").stdout)["state"] == "stopped by evo stop"
    trials = runs.trials(live)
    first = next(trial["number"] for trial in trials if told(trial))
    assert all(told(trial) == ["try beam search"] for trial in trials if trial["number"] >= first and trial["proposal"])


def test_a_run_goes_on_in_the_background_with_changed_settings(runs, tmp_path):
    path = runs.run("run", trials=10)
    done = runs.evo("resume", path, "--background", "--set", "budget.trials=30")
    assert done.returncode == 0, done.stderr
    wait_for(lambda: json.loads(runs.evo("status", path, "--json").stdout)["state"] == "complete")
    assert len(runs.trials(path)) == 30


def test_a_run_that_is_worked_on_is_not_gone_on_with_in_the_background(runs, live):
    refused = runs.evo("resume", live, "--background")
    assert refused.returncode == 2
    assert "stop that one first" in refused.stderr


def test_watching_ends_when_the_run_does(runs, tmp_path):
    pipeline = runs.write(trials=60, with_={"late_at": list(range(60)), "late_seconds": 0.05})
    runs.evo("run", pipeline, "--background", "--run-dir", tmp_path / "run")
    watched = runs.evo("status", tmp_path / "run", "--watch", "--json")
    looks = [json.loads(line) for line in watched.stdout.splitlines()]
    assert looks[-1]["state"] == "complete"
    assert [look["trials"] for look in looks] == sorted(look["trials"] for look in looks)


def test_an_instruction_to_a_run_that_is_not_live_waits_for_it(runs, tmp_path):
    path = runs.run("run", trials=10)
    assert "gets this on its next resume" in runs.evo("tell", path, "prefer integers").stdout
    assert runs.evo("resume", path, "--set", "budget.trials=60").returncode == 0
    trials = runs.trials(path)
    assert told(trials[-1]) == ["prefer integers"]
    assert not told(trials[9])
    assert runs.evo("resume", path, "--set", "budget.trials=80").returncode == 0
    assert told(runs.trials(path)[-1]) == ["prefer integers"], "it is applied once"


def test_a_message_that_was_applied_before_a_kill_is_not_applied_again(runs):
    path = runs.run("run", trials=10)
    message = send_message(path, "tell", "once")
    text = (path / "inbox" / f"{message.id}.json").read_text()
    runs.resume(path, "budget.trials=40")
    (path / "inbox" / f"{message.id}.json").write_text(text)
    runs.resume(path, "budget.trials=80")
    assert told(runs.trials(path)[-1]) == ["once"]


def test_what_is_no_message_is_put_aside_and_does_no_harm(runs):
    path = runs.run("run", trials=10)
    inbox = path / "inbox"
    (inbox / "folder.json").mkdir(parents=True)
    os.mkfifo(inbox / "pipe.json")
    for name, text in {
        "a.json": "{",
        "b.json": "[]",
        "c.json": '{"id": 1}',
        "d.json": '{"id":"x","kind":"rm","text":""}',
        "e.json": '{"id":"x","kind":"tell","text":"\\ud800"}',
        "f.json": '{"id":"\\ud800","kind":"tell","text":"try beam search"}',
        "g.json": "[" * 100_000,
    }.items():
        (inbox / name).write_text(text)
    names = {file.stem for file in inbox.iterdir()}
    runs.resume(path, "budget.trials=40")
    assert {file.name for file in inbox.iterdir()} == {f"{name}.refused" for name in names}
    assert len(runs.trials(path)) == 40


def test_an_instruction_that_is_no_text_is_refused(runs):
    path = runs.run("run", trials=10)
    done = runs.evo("tell", path, os.fsdecode(b"caf\xe9 au lait"))
    assert (done.returncode, done.stderr) == (2, "Error: the instruction is not UTF-8 text\n")
    assert not (path / "inbox").exists()


def test_an_instruction_that_a_run_did_not_read_before_it_ended_waits_for_it(runs):
    path = runs.run("run", trials=10)
    # Held as by a run that is about to end, and let go of once the message is there.
    holder = runs.start("-c", ENDING, path)
    assert holder.stdout.readline() == "held\n"
    assert "gets this on its next resume" in runs.evo("tell", path, "prefer integers").stdout
    runs.kill(holder)
    runs.resume(path, "budget.trials=60")
    assert told(runs.trials(path)[-1]) == ["prefer integers"]


def test_a_run_that_is_not_running_is_stopped_already_and_nothing_can_be_told_in_no_words(runs):
    path = runs.run("run", trials=10)
    assert runs.evo("stop", path).returncode == 0
    assert runs.evo("tell", path, "  ").returncode == 2
    assert runs.evo("run", runs.write(), "--background", "--interactive").returncode == 2
    refused = runs.evo("run", runs.write(), "--interactive", "--json")
    assert refused.returncode == 2
    assert "a conversation is no JSON" in refused.stderr


def test_a_background_run_that_cannot_start_says_why(runs, tmp_path):
    broken = runs.write(
        more=[{"name": "watcher", "with": {"file": "/x"}}], executor={"driver": "threads", "workers": 0}
    )
    assert runs.evo("run", broken, "--background").returncode == 2


def test_the_status_says_what_was_tried_and_what_failed(runs):
    path = runs.run("run", trials=60)
    standing = json.loads(runs.evo("status", path, "--json").stdout)
    assert standing["generation"] == 2
    assert standing["failures"] == {"every seventeenth is rejected": 3}
    assert {each["operator"] for each in standing["approaches"]} == {"lab.step", "lab.jump", "kernel.seed"}
    assert sum(each["trials"] for each in standing["approaches"]) == 60
    text = runs.evo("status", path).stdout
    assert "every seventeenth is rejected" in text
    assert "lab.step" in text


@pytest.mark.long
def test_the_last_line_of_an_interrupted_run_counts_what_its_status_counts(runs, tmp_path):
    # Trial 9 is given up: those behind it are in the log, and wait for it.
    with_ = {"held_at": [9], "held_until": str(tmp_path / "never"), "seeds": 1}
    pipeline = runs.write(trials=40, window=4, executor={"driver": "processes", "workers": 2}, with_=with_)
    run = runs.start("-m", "evograft", "run", pipeline, "--run-dir", tmp_path / "run")
    status = ("status", tmp_path / "run", "--json")
    # The lock file, which is written last, makes a folder a run.
    wait_for((tmp_path / "run" / LOCK_FILE).exists)
    wait_for(lambda: json.loads(runs.evo(*status).stdout)["trials"] == 12)
    run.send_signal(signal.SIGINT)
    said = run.communicate()[0].splitlines()
    assert run.returncode == 130
    standing = json.loads(runs.evo(*status).stdout)
    assert standing["trials"] == 12
    best = f"best score {standing['best_score']:.6g} in trial {standing['best_trial']}"
    assert said[0] == f"interrupted: stopped by SIGINT; 12 trials, 3 of them waiting for an earlier one, {best}"


def test_what_a_plugin_prints_does_not_spoil_the_json_of_a_run(runs, tmp_path):
    done = runs.evo_apart("run", runs.write(trials=20, with_={"chatty": True}), "--json")
    assert json.loads(done.stdout)["trials"] == 20
    assert "evaluating" in done.stderr


# -- a conversation ---------------------------------------------------------------------------------------------------


def talk(runs, pipeline, text: str) -> subprocess.CompletedProcess[str]:
    words = ("run", pipeline, "--interactive", "--run-dir", runs.folder / "run")
    return run_evo(*words, cwd=runs.folder, input=text, errors="surrogateescape")


def test_the_first_steps_are_shown_and_confirmed_and_words_become_instructions(runs):
    done = talk(runs, runs.write(trials=60), "\nprefer integers\nyes\n")
    assert done.returncode == 0, done.stderr
    places = [done.stdout.index(f"\n{number}. ") for number in (1, 2, 3, 4)]
    assert places == sorted(places)
    assert "generation 1: best" in done.stdout
    assert "this run asks no model" in done.stdout
    trials = runs.trials(runs.folder / "run")
    assert all(told(trial) == ["prefer integers"] for trial in trials if trial["proposal"])


def test_a_question_without_a_model_is_answered_by_what_is_known(runs):
    slow = runs.write(trials=60, with_={"late_at": list(range(60)), "late_seconds": 0.05})
    done = talk(runs, slow, "\n\n\nwhere is the best solution weak?\ntry beam search\n")
    assert "what is known" in done.stdout
    assert "the best program:" in done.stdout
    assert told(runs.trials(runs.folder / "run")[-1]) == ["try beam search"]


def test_bytes_that_are_no_text_are_typed_and_do_no_harm(runs):
    slow = runs.write(trials=60, with_={"late_at": list(range(60)), "late_seconds": 0.05})
    done = talk(runs, slow, "\ncaf\udce9 au lait\n\nwhat is caf\udce9?\ntry caf\udce9\n")
    assert done.returncode == 0, done.stderr
    assert "what is known" in done.stdout
    assert told(runs.trials(runs.folder / "run")[-1]) == [
        "caf\N{REPLACEMENT CHARACTER} au lait",
        "try caf\N{REPLACEMENT CHARACTER}",
    ]


def test_a_kind_that_is_a_language_is_said_once(runs):
    done = talk(runs, runs.write(trials=10, with_={"language": "number"}), "q\n")
    assert "candidates: number\n" in done.stdout


def test_q_stops_at_the_first_question(runs):
    done = talk(runs, runs.write(trials=60), "q\n")
    assert done.returncode == 130, done.stderr
    assert "resume it with: evo resume" in done.stdout


@pytest.mark.parametrize(
    ("text", "asks"),
    {
        "where is the best solution weak?": True,
        "where is it weak": True,
        "could the beam search of ahc015 help here?": True,
        "どこが弱いですか": True,
        "ビームサーチは効きますか？": True,
        "try something closer to hill climbing": False,
        "try parameter X from 0.1 to 0.9": False,
        "make the annealing schedule exponential": False,
        "焼きなましを試して": False,
    }.items(),
)
def test_questions_are_told_from_instructions(text, asks):
    assert is_question(text) is asks


def test_strategies_are_chosen_rewritten_and_added():
    strategies = [Strategy(title="anneal", description="slowly"), Strategy(title="beam"), Strategy(title="greedy")]
    assert chosen(strategies, "1,3") == ["anneal: slowly", "greedy"]
    assert chosen(strategies, "2: beam of width 50") == ["beam of width 50"]
    assert chosen(strategies, "1; 2: wide beam; start greedily") == ["anneal: slowly", "wide beam", "start greedily"]
    assert chosen(strategies, "7") == ["anneal: slowly", "beam", "greedy"]


def test_a_strategy_is_shown_with_what_it_does():
    shown = [Strategy(title="plain"), Strategy(title="beam", description="wide", sources=("ahc015",))]
    assert [str(each) for each in shown] == ["plain", "beam: wide"]
