"""Whole runs whose model is a person, who is slow, and away when the machine goes down."""

import json
import os
import signal
import subprocess
import threading

import pytest
from python_process import PythonProcess
from waiting import wait_until

from evograft.drivers.llm.prompt_files import find_waiting, write_answer

TRIALS = 6


class Live:
    """A command of `evo` at work."""

    def __init__(self, folder, *arguments):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self._process = PythonProcess("-m", "evograft", *arguments, cwd=folder, **pipes)

    def until(self, condition):
        wait_until(condition, self._process)

    def kill(self):
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    def finish(self, answering):
        """What it printed, with somebody at hand who answers."""
        while self._process.poll() is None:
            answering()
            threading.Event().wait(0.02)
        printed, errors = self._process.communicate()
        assert self._process.returncode == 0, errors
        return printed, errors


@pytest.fixture
def run_folder(lab, tmp_path):
    pipeline = {
        "name": "hand",
        "plugins": ["asker"],
        "llm": {"driver": "manual", "concurrency": 3},
        "budget": {"trials": TRIALS},
    }
    (tmp_path / "hand.yaml").write_text(json.dumps(pipeline))
    return tmp_path / "runs" / "hand-1"


def answer_all(folder):
    for prompt in find_waiting(folder):
        write_answer(folder, prompt.name, "25\n")


def answers(folder):
    return {path.name for path in (folder / "prompts").glob("*.answer.md")}


def test_a_run_goes_on_as_its_prompts_are_answered_and_says_where_they_are(run_folder, tmp_path):
    live = Live(tmp_path, "run", "hand.yaml")
    printed, errors = live.finish(lambda: answer_all(run_folder))
    assert f"complete: all trials are done; {TRIALS} trials" in printed
    assert f"prompts appear in {run_folder}/prompts; list and answer them with: evo answer hand-1" in errors
    assert len(answers(run_folder)) == TRIALS
    assert find_waiting(run_folder) == ()


def test_the_status_names_the_budget_that_ends_the_run_and_calls_tokens_of_a_person_estimated(run_folder, tmp_path):
    Live(tmp_path, "run", "hand.yaml", "--set", "budget.calls=4").finish(lambda: answer_all(run_folder))
    status = json.loads(Live(tmp_path, "status", "hand-1", "--json").finish(lambda: None)[0])
    assert status["binding"] == {"name": "calls", "used": 4, "limit": 4}
    assert 0 < status["estimated_tokens"] == status["prompt_tokens"] + status["completion_tokens"]
    said, _ = Live(tmp_path, "status", "hand-1").finish(lambda: None)
    assert "budget    4 of 4 calls, which end it first" in said
    assert f"{status['estimated_tokens']} of them estimated" in said


def test_after_kill_9_the_same_prompts_wait_and_an_answer_given_meanwhile_is_taken(run_folder, tmp_path):
    live = Live(tmp_path, "run", "hand.yaml")
    live.until(lambda: len(find_waiting(run_folder)) == 3)
    before = [prompt.name for prompt in find_waiting(run_folder)]
    live.kill()
    write_answer(run_folder, before[0], "25\n")
    again = Live(tmp_path, "resume", "hand-1")
    again.until(lambda: len(find_waiting(run_folder)) == 3)
    assert {prompt.name for prompt in find_waiting(run_folder)} > set(before[1:])
    printed, _ = again.finish(lambda: answer_all(run_folder))
    assert f"{TRIALS} trials" in printed
    assert len(answers(run_folder)) == TRIALS
    assert f"{before[0]}.answer.md" in answers(run_folder)
