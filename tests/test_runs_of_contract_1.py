"""Runs made when plugins spoke contract 1: they open, report, resume and replay with today's version."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path

import pytest
from fault_server import FaultServer, answer

from evograft.log.records import CompletedCall
from evograft.runs.reader import open_journal
from evograft_hookspecs import Control

MADE = Path(__file__).parent / "made_by_contract_1"
WHOLE = {"formulas": 20, "contest": 10, "answers": 16}
"""How many trials each of them has."""
CUT_SHORT = {"formulas-killed": 12, "formulas-stopped": 11, "contest-killed": 5, "answers-killed": 11}
SAID_SINCE = re.compile(r", worst slice \S+ \([^)]*\), straightness \S+(?=,)")
PRUNED = {2: 0, 4: 0, 8: 0, 9: 5}
"""Candidates of the contest that were given up, with the trials whose evaluations they were compared with."""


@pytest.fixture
def made(tmp_path):
    """Unpacks a run, and returns its folder."""

    def unpack(name):
        with tarfile.open(MADE / f"{name}.tar.gz") as tar:
            tar.extractall(tmp_path / name, filter="data")
        return tmp_path / name

    return unpack


def said(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def answers(path):
    with open_journal(path) as journal:
        return [record for record in journal.records() if isinstance(record, CompletedCall)]


def compared(trials):
    """Trials without what a compiler and a clock may change, and without what is new since: data of proposals, and what
    feedback says of slices and straightness."""
    for trial in trials:
        (trial["proposal"] or {}).pop("data", None)
        trial["evaluation"]["feedback"] = SAID_SINCE.sub("", trial["evaluation"]["feedback"])
    return [
        {name: value for name, value in trial.items() if name != "evaluation" or trial["candidate"]["kind"] != "cpp"}
        for trial in trials
    ]


@pytest.mark.parametrize(("name", "trials"), (WHOLE | CUT_SHORT).items())
def test_it_opens_and_tells_its_state_and_its_trials(runs, made, name, trials):
    path = made(name)
    status = json.loads(said(runs.evo_apart("status", path, "--json")))
    assert status["state"] == ("complete" if name in WHOLE else "not running")
    assert status["trials"] == trials
    assert status["judged"] is (name in WHOLE)
    best = json.loads(said(runs.evo_apart("show", path, "--trial", "best", "--json")))
    assert best["number"] == status["best_trial"]
    exported = [json.loads(line) for line in said(runs.evo_apart("export", path)).splitlines()]
    assert len(exported) == trials


@pytest.mark.parametrize("name", WHOLE | CUT_SHORT)
def test_it_is_reported(runs, made, name):
    path = made(name)
    page = path / "report.html"
    said(runs.evo_apart("report", path, "--output", page))
    assert "<svg" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", ["formulas", pytest.param("contest", marks=pytest.mark.slow)], ids=["formulas", "contest"]
)
def test_one_that_was_killed_is_resumed_to_the_end_that_the_whole_run_had(runs, made, name):
    path = made(f"{name}-killed")
    before = runs.trials(path)
    said(runs.evo_apart("resume", path))
    after = runs.trials(path)
    assert [trial for trial in after if trial["number"] in {each["number"] for each in before}] == before
    assert compared(after) == compared(runs.trials(made(name)))


def test_one_that_was_stopped_keeps_its_instruction_and_what_stopped_it_when_it_is_resumed(runs, made):
    path = made("formulas-stopped")
    said(runs.evo_apart("resume", path))
    advised = [trial["number"] for trial in runs.trials(path) if trial["proposal"] and trial["proposal"]["advice"]]
    assert advised == list(range(10, 20))
    with open_journal(path) as journal:
        controls = [(each.kind, each.text) for each in journal.controls() if isinstance(each, Control)]
    assert controls == [("tell", "try degrees"), ("stop", "stopped by evo stop"), ("settings", "window=3")]


@pytest.mark.long
def test_one_that_waited_for_a_model_asks_it_again_and_nothing_that_was_answered(runs, made, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    path = made("answers-killed")
    answered, before = answers(path), runs.trials(path)
    with FaultServer() as server:
        server.usual = answer("```python\ndef new_invariant(G):\n    return G.number_of_edges() ** 0.5\n```")
        said(runs.evo_apart("resume", path, "--set", f"llm.base_url={server.base_url}"))
        asked = len(server.asked("/chat/completions"))
    assert answers(path)[: len(answered)] == answered
    assert len(answers(path)) == len(answered) + asked
    after = runs.trials(path)
    assert len(after) == 16
    assert after[: len(before)] == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["formulas", "contest"])
def test_it_is_repeated_from_its_log(runs, made, name):
    path = made(name)
    said(runs.evo_apart("run", "--llm", f"replay:{path}", "--run-dir", "again"))
    assert compared(runs.trials(runs.folder / "again")) == compared(runs.trials(path))


def test_candidates_that_were_pruned_say_what_they_were_measured_by(runs, made):
    pruned = [trial for trial in runs.trials(made("contest")) if trial["evaluation"]["status"] == "pruned"]
    assert {trial["number"]: trial["selection"]["incumbent"] for trial in pruned} == PRUNED


def test_a_repaired_candidate_keeps_its_attempts(runs, made):
    repaired = [trial for trial in runs.trials(made("answers")) if trial["attempts"]]
    assert [trial["number"] for trial in repaired] == [8, 14]
    assert all(trial["evaluation"]["status"] == "ok" for trial in repaired)
