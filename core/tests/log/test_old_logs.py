"""Logs that earlier versions of evograft wrote are read, repeated and continued.

`logs/version-1.tar.gz` was written by the last commit before schema 2: 40 trials of `lab`, with what it exported itself.
`logs/version-2.tar.gz` was written by the last commit whose rows were not compressed: 30 trials of `asker`, which rejects
odd numbers and has them mended, with advice of 2 kB in each prompt.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import tarfile
from pathlib import Path

import pytest

from evograft.runs.index import open_run
from evograft.runs.summary import summarize

LOGS = Path(__file__).parent / "logs"


@pytest.fixture
def first(runs):
    return unpacked(1, runs.folder)


@pytest.fixture
def old(asking):
    return unpacked(2, asking.folder)


def unpacked(version, folder):
    with tarfile.open(LOGS / f"version-{version}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / f"version-{version}"


def schema_of(path):
    with contextlib.closing(sqlite3.connect(path / "log.sqlite")) as db:
        return db.execute("PRAGMA user_version").fetchone()[0]


def test_it_is_read_as_it_is(asking, old):
    before = (old / "log.sqlite").read_bytes()
    exported = asking.evo("export", old)
    assert exported.returncode == 0, exported.stderr
    trials = [json.loads(line) for line in exported.stdout.splitlines()]
    assert sorted(trial["number"] for trial in trials) == list(range(30))
    assert any(trial["attempts"] for trial in trials)
    assert all(trial["prompt_tokens"] for trial in trials)
    assert {trial["model"] for trial in trials} == {"m"}, "as the answers say: its rows name no model"
    summary = summarize(old)
    assert (summary.trials, summary.best_score) == (30, max(trial["evaluation"]["score"] or -99 for trial in trials))
    assert (old / "log.sqlite").read_bytes() == before
    assert schema_of(old) == 2


def test_it_is_repeated_without_a_model(asking, server, old):
    path = asking.replay(old, "again")
    asking.resume(path)
    assert asking.trials(path) == asking.trials(old)
    assert not server.asked()
    assert schema_of(path) == 3


def test_it_is_continued_as_if_nothing_had_happened(asking, server, old):
    before = asking.trials(old)
    settings = open_run(old).pipeline.to_data()
    asking.resume(old, "budget.trials=40", f"llm.base_url={server.base_url}")
    assert schema_of(old) == 3
    assert asking.trials(old)[:30] == before
    assert asking.trials(old) == asking.undisturbed(
        trials=40, repairs=1, with_={"odd_is_invalid": True}, more=settings["plugins"][1:]
    )
    with contextlib.closing(sqlite3.connect(old / "log.v2.sqlite")) as copy:
        assert copy.execute("SELECT count(*) FROM rows WHERE kind = 'trial'").fetchone() == (30,)
    assert (old / "log.sqlite").stat().st_size < (old / "log.v2.sqlite").stat().st_size / 2


def test_what_was_continued_is_repeated_too(asking, server, old):
    asking.resume(old, "budget.trials=35", f"llm.base_url={server.base_url}")
    path = asking.replay(old, "again")
    asking.resume(path)
    assert asking.trials(path) == asking.trials(old)


def test_one_of_the_first_version_is_continued_and_says_what_that_version_said(runs, first):
    exported = [json.loads(line) for line in (first / "exported.jsonl").read_text().splitlines()]
    before = (first / "log.sqlite").read_bytes()
    refused = runs.evo("export", first)
    assert (refused.returncode, "earlier evograft (schema 1)" in refused.stderr) == (2, True)
    assert (first / "log.sqlite").read_bytes() == before
    runs.resume(first, "budget.trials=50")
    assert schema_of(first) == 3
    trials = runs.trials(first)
    assert [trial["number"] for trial in trials] == list(range(50))
    for trial, said in zip(trials, sorted(exported, key=lambda each: each["number"]), strict=False):
        for name in ("number", "view", "duplicate_of"):
            assert trial[name] == said[name]
        if said["candidate"]:
            assert trial["candidate"]["files"] == said["candidate"]["files"]
        assert trial["evaluation"]["status"] == said["evaluation"]["status"]
        assert trial["evaluation"]["score"] == said["evaluation"]["score"]
    assert len(exported) == 40
    with contextlib.closing(sqlite3.connect(first / "log.v1.sqlite")) as copy:
        assert copy.execute("SELECT count(*) FROM rows WHERE kind = 'trial'").fetchone() == (40,)
