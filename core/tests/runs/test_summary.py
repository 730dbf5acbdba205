"""A quick look at a run says what a whole reading says, whoever writes to it."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from evograft.errors import LogDamaged, ServiceError
from evograft.runs.lock_file import LOCK_FILE
from evograft.runs.status import read_status
from evograft.runs.summary import summarize


def test_a_summary_agrees_with_the_whole_log(runs):
    path = runs.run("short", trials=40, with_={"seeds": 2})
    summary, standing = summarize(path), read_status(path)
    assert (summary.id, summary.name, summary.seeds) == (standing.id, "short", 2)
    assert (summary.trials, summary.best_score, summary.best_trial) == (40, standing.best_score, standing.best_trial)
    assert round(summary.elapsed, 1) == standing.elapsed
    assert (summary.stop, summary.follows) == (None, None)
    assert summary.at is not None


def test_a_summary_does_not_need_the_lock_file(runs):
    path = runs.run("short", trials=10)
    (path / LOCK_FILE).unlink()
    assert summarize(path).trials == 10


def test_why_a_run_stopped_is_said_until_it_continues(runs):
    path = runs.run("target", trials=100, budget={"trials": 100, "target_score": -1000.0})
    assert "target" in summarize(path).stop.text
    runs.resume(path, "budget.target_score=null")
    assert summarize(path).stop is None


def test_a_run_that_has_no_valid_candidate_has_no_best(runs):
    with pytest.raises(ServiceError, match="could not be evaluated"):
        runs.run("seeds", trials=1, with_={"seeds": 1, "die_at": [0]}, executor={"driver": "processes"})
    summary = summarize(runs.folder / "seeds")
    assert (summary.trials, summary.best_score, summary.best_trial) == (1, None, None)


def test_a_log_whose_rows_are_no_json_is_damaged(runs):
    path = runs.run("short", trials=10)
    with contextlib.closing(sqlite3.connect(path / "log.sqlite")) as db:
        db.execute("UPDATE rows SET body = 'no json' WHERE kind = 'trial'")
        db.commit()
    with pytest.raises(LogDamaged, match="evo export"):
        summarize(path)
