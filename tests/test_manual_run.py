"""A run whose model is another process: prompts and answers are files, whoever writes them."""

import json
from collections import Counter
from pathlib import Path

import pytest
from waiting import wait_until

from evograft.drivers.llm.prompt_files import find_waiting, write_answer
from evograft.log.records import CompletedCall
from evograft.runs.reader import open_journal

ANSWERER = Path(__file__).parent / "lab" / "answerer.py"
THREE_AT_A_TIME = ("--llm", "manual", "--set", "llm.concurrency=3")
WAYS = {"give_file", "give_on_standard_input", "save_in_editor"}


@pytest.fixture
def pipeline(runs):
    plugins = ["trivial", {"name": "islands", "with": {"when_empty": "borrow"}}, "operators"]
    settings = {"name": "by-hand", "plugins": plugins, "window": 3}
    path = runs.folder / "by-hand.json"
    path.write_text(json.dumps(settings))
    return path


def finished(process):
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors


def answers(path):
    with open_journal(path) as journal:
        return [record for record in journal.records() if isinstance(record, CompletedCall)]


def test_another_process_answers_a_run_which_then_repeats_from_its_log(runs, pipeline):
    path = runs.folder / "answered"
    run = runs.start("-m", "evograft", "run", pipeline, "--llm", "manual", "--trials", 6, "--run-dir", path)
    wait_until((path / "pipeline.lock.yaml").exists)
    answerer = runs.start(ANSWERER, path, 0)
    finished(run)
    ways = Counter(line.split()[1] for line in runs.kill(answerer).splitlines())
    assert set(ways) == WAYS
    assert ways.total() == len(answers(path)) >= 5
    assert len(runs.trials(path)) == 6
    repeated = runs.evo_apart("run", "--llm", f"replay:{path}", "--run-dir", runs.folder / "repeated")
    assert repeated.returncode == 0, repeated.stderr
    assert runs.trials(runs.folder / "repeated") == runs.trials(path)


@pytest.mark.slow
def test_what_is_answered_while_a_killed_run_is_down_is_taken_when_it_goes_on(runs, pipeline):
    path = runs.folder / "killed"
    run = runs.start("-m", "evograft", "run", pipeline, *THREE_AT_A_TIME, "--trials", 8, "--run-dir", path)
    wait_until((path / "pipeline.lock.yaml").exists)
    finished(runs.start(ANSWERER, path, 3))
    # The answers are in the log, and the window is full of prompts that wait.
    wait_until(lambda: len(answers(path)) == 3 and len(find_waiting(path)) == 3)
    runs.kill(run)
    first, *others = (prompt.name for prompt in find_waiting(path))
    write_answer(path, first, "```python\ndef solve(values):\n    return 'in the meantime'\n```\n")
    run = runs.start("-m", "evograft", "resume", path)
    wait_until(lambda: len(answers(path)) == 4)
    answerer = runs.start(ANSWERER, path, 0)
    finished(run)
    told = [line.split()[0] for line in runs.kill(answerer).splitlines()]
    assert first not in told
    assert set(others) < set(told)
    assert len(answers(path)) == 4 + len(told)
    trial = runs.trials(path)[int(first.split("-")[0])]
    assert "in the meantime" in trial["candidate"]["files"]["main"]
    repeated = runs.evo_apart("run", "--llm", f"replay:{path}", "--run-dir", runs.folder / "repeated")
    assert repeated.returncode == 0, repeated.stderr
    assert runs.trials(runs.folder / "repeated") == runs.trials(path)
