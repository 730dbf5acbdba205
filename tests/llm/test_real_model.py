"""Whole runs on the answers of a model of 135 million parameters: mostly nonsense, and every trial comes to its end.

Run by `make test-llm`, which sets up the model and its server.
"""

import json
import re
import threading
from collections import Counter

import pytest

from evograft.log.records import CompletedCall
from evograft.runs.reader import open_journal

pytestmark = [pytest.mark.llm, pytest.mark.slow]

CONCURRENCY = 2
MAX_TOKENS = 128
USUAL = {"max_tokens": MAX_TOKENS, "temperature": [0.2, 0.5], "history": 5}
"""Options of the operators: short prompts and answers, and not so warm that only chance speaks."""
BY_MODEL = {"operators.diff", "operators.rewrite", "operators.crossover", "operators.fresh"}
REASONS = {
    "cut off at max_tokens": r"the answer was cut off at max_tokens",
    "no code block": r"the answer has no code block",
    "a code block without an end": r"a fenced code block has no end",
    "no path": r"no code block says which file it is",
    "another path": r".+ is not a file of the program: its files are",
    "a file left out": r"the file \S+ is missing in the answer",
    "a file twice": r"the answer gives \S+ more than once",
    "an empty code block": r"the code block of \S+ is empty",
    "an empty answer": r"the answer is empty",
    "another language": r"\S+ is in .+, \S+ was asked for",
    "no valid Python": r"\S+ (is not valid|cannot be parsed as) Python",
    "unchanged": r"the answer is a program that is there already",
    "a malformed SEARCH/REPLACE block": r"SEARCH/REPLACE block \d+.* has no line",
    "a SEARCH that does not fit": r"SEARCH/REPLACE block \d+.*(the searched lines|searches for nothing|which file|names a file)",
    "nothing to search in": r"there is no program to search in",
    "control characters": r"line \d+ of the answer holds the control character",
    "refused": r"the model refused the request",
}


@pytest.fixture
def folder(runs):
    return runs.folder


def write(folder, server, *plugins, trials, llm=None, options=None, **settings):
    """The file of a pipeline that asks the server."""
    usual = {"driver": "openai", "base_url": server.base_url, "model": "smollm2"}
    pipeline = {
        "name": "real",
        "plugins": [*plugins, "islands", {"name": "operators", "with": {**USUAL, **(options or {})}}],
        "llm": {"concurrency": CONCURRENCY, "timeout": 600, **(llm or usual)},
        "budget": {"trials": trials},
        **settings,
    }
    path = folder / "pipeline.json"
    path.write_text(json.dumps(pipeline))
    return path


def answers(path):
    with open_journal(path) as journal:
        return [record for record in journal.records() if isinstance(record, CompletedCall)]


def until(happened):
    """Waits for something to happen, half an hour at most."""
    for _ in range(3600):
        if happened():
            return
        threading.Event().wait(0.5)
    raise AssertionError("it did not come to pass")


def reason_of(text):
    """Which of the operators' reasons a rejection has."""
    (name,) = (name for name, pattern in REASONS.items() if re.match(pattern, text))
    return name


def outcome_of(trial):
    """How a trial ended. Every one ends in one of these ways."""
    evaluation = trial["evaluation"]
    if trial["duplicate_of"] is not None:
        return "duplicate"
    if evaluation["status"] == "ok":
        return "ok"
    assert evaluation["status"] == "rejected"
    if trial["candidate"] is not None:
        return "rejected by the evaluation"
    return f"rejected: {reason_of(evaluation['reason'])}"


def account(path, runs, outcomes, name, *, trials):
    """Checks that every trial and every call is there, and tells what became of them."""
    done, calls = runs.trials(path), answers(path)
    asking = [trial for trial in done if trial["proposal"] and trial["proposal"]["operator"] in BY_MODEL]
    assert [trial["number"] for trial in done] == list(range(trials))
    assert len({call.key for call in calls}) == len(calls)
    assert Counter(call.trial for call in calls) == {trial["number"]: 1 + len(trial["attempts"]) for trial in asking}
    for call in calls:
        assert not call.refused
        assert not call.usage.estimated
        assert call.usage.prompt_tokens > 0
        assert 0 <= call.usage.completion_tokens <= MAX_TOKENS
    outcomes.tell(f"{name}, trials that asked the model", Counter(map(outcome_of, asking)))
    mended = Counter(
        reason_of(attempt["reason"]) for trial in asking for attempt in trial["attempts"] if not attempt["candidate"]
    )
    if mended:
        outcomes.tell(f"{name}, first answers that went to repair", mended)
    return done


def test_a_run_that_is_killed_asks_no_logged_answer_again_and_repeats_from_its_log(server, runs, folder, outcomes):
    path, pipeline = folder / "programs", write(folder, server, "trivial", trials=14)
    before = server.answered
    run = runs.start("-m", "evograft", "run", pipeline, "--run-dir", path)
    until(lambda: (path / "log.head").exists() and len(answers(path)) >= 8)
    runs.kill(run)
    logged = len(answers(path))
    resumed = runs.evo_apart("resume", path, timeout=1800)
    assert resumed.returncode == 0, resumed.stderr
    assert logged < len(answers(path)) <= server.answered - before <= len(answers(path)) + CONCURRENCY
    done = account(path, runs, outcomes, "programs", trials=14)
    repeated = runs.evo_apart("run", "--llm", f"replay:{path}", "--run-dir", folder / "repeated", "--json")
    assert repeated.returncode == 0, repeated.stderr
    assert runs.trials(folder / "repeated") == done


def test_programs_of_several_files_are_asked_for(server, runs, folder, outcomes):
    seed = {
        "solve.py": "from parts.rule import better\n\n\ndef solve(values):\n    return max(values, key=better)\n",
        "parts/rule.py": "def better(value):\n    return -value\n",
    }
    problem = {"name": "trivial", "with": {"seeds": [seed]}}
    pipeline = write(folder, server, problem, trials=6)
    done = runs.evo_apart("run", pipeline, "--run-dir", folder / "files", "--json", timeout=1800)
    assert done.returncode == 0, done.stderr
    account(folder / "files", runs, outcomes, "programs of two files", trials=6)


def test_formulas_are_edited_and_asked_for_side_by_side(server, runs, folder, outcomes):
    small = {"train": 10, "validation": 25, "test": 10, "large": 5, "extreme": 4}
    problem = {"name": "graph_invariant", "with": small}
    pipeline = write(folder, server, problem, trials=24, options={"share": 0.8}, repairs=0)
    done = runs.evo_apart("run", pipeline, "--run-dir", folder / "formulas", "--json", timeout=1800)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "complete"
    trials = account(folder / "formulas", runs, outcomes, "formulas", trials=24)
    operators = {trial["proposal"]["operator"] for trial in trials if trial["proposal"]}
    assert operators & BY_MODEL
    assert operators - BY_MODEL


def test_litellm_asks_the_same_server(server, runs, folder, outcomes, monkeypatch):
    monkeypatch.setenv("SMALL_MODEL_KEY", "sk-none-is-needed")
    llm = {
        "driver": "litellm",
        "model": "openai/smollm2",
        "api_base": server.base_url,
        "api_key_env": "SMALL_MODEL_KEY",
    }
    pipeline = write(folder, server, "trivial", trials=4, llm=llm, repairs=0)
    done = runs.evo_apart("run", pipeline, "--run-dir", folder / "litellm", "--json", timeout=1800)
    assert done.returncode == 0, done.stderr
    account(folder / "litellm", runs, outcomes, "through litellm", trials=4)
