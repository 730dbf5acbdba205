"""A run that an AI model answered, repeated from its log: the operators on real answers, without a model."""

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from evograft.log.records import CompletedCall
from evograft.runs.reader import open_journal

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture
def recorded(unpacked, tmp_path, monkeypatch):
    """The recorded run in a folder of its own, with its plugin and templates where it expects them."""
    unpacked(RECORDED / "run.tar.gz")
    shutil.copytree(RECORDED / "prompts", tmp_path / "prompts")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(RECORDED), os.environ.get("PYTHONPATH", "")]))
    return tmp_path / "recorded"


def exchanges(path):
    """By key the requests in the log of a run, with their answers."""
    with open_journal(path) as journal:
        return {key: journal.exchange(seq)[:2] for seq, key in journal.places("answer")}


@pytest.mark.long
def test_the_recorded_run_repeats_and_gets_the_same_trials(runs, recorded):
    done = runs.evo_apart("run", "--llm", f"replay:{recorded}", "--run-dir", "again")
    assert done.returncode == 0, done.stderr
    assert runs.trials(runs.folder / "again") == runs.trials(recorded)
    assert exchanges(runs.folder / "again") == exchanges(recorded)


def test_the_recorded_run_holds_answers_of_all_sorts(runs, recorded):
    trials = runs.trials(recorded)
    operators = Counter(trial["proposal"]["operator"].partition(".")[2] for trial in trials if trial["proposal"])
    assert set(operators) == {"diff", "rewrite", "crossover", "fresh"}
    faults = [attempt["reason"] for trial in trials for attempt in trial["attempts"]]
    for words in ("has no code block", "are nowhere in the program", "more than the limit", "importing 'numpy'"):
        assert any(words in reason for reason in faults), words
    (lost,) = (trial for trial in trials if trial["evaluation"]["status"] == "rejected")
    assert "has no end" in lost["evaluation"]["reason"]
    assert [trial["number"] for trial in trials if trial["duplicate_of"] is not None] == [22]
    scores = [trial["evaluation"]["score"] for trial in trials if trial["evaluation"]["status"] == "ok"]
    assert (round(scores[0], 2), round(max(scores), 2)) == (50.18, 58.54)


def test_the_answers_in_the_log_are_those_that_can_be_read_beside_it(recorded):
    written = Counter(path.read_text(encoding="utf-8") for path in (RECORDED / "answers").iterdir())
    answers = exchanges(recorded).values()
    assert Counter(answer.text for _, answer in answers) == written
    prompts = [request.messages[-1].content for request, _ in answers]
    assert {prompt.splitlines()[0] for prompt in prompts} == {"# Task", "# 課題"}
    with open_journal(recorded) as journal:
        assert {record.model for record in journal.records() if isinstance(record, CompletedCall)} == {"manual"}
