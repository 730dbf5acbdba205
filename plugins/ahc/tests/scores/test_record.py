"""The record of scores outlives what filled it."""

import sqlite3

import pytest
from logbook import LogBook

from evograft.errors import ServiceError
from evograft.log.records import NO_PRINTS
from evograft_ahc.scores.record import open_score_record
from evograft_ahc.scores.run import Revision, hash_program
from evograft_ahc.scores.sessions import record_sessions
from evograft_hookspecs import Candidate, Evaluation, Proposal, Trial


def runs_of(workspace):
    with open_score_record(workspace) as record:
        return record.runs()


def test_a_run_is_read_as_it_was_put(workspace, ran, recorded):
    first = ran("main.cpp", a=1.0, b=None, comment="初回", slowest=1.5, revision=Revision("abc+", "v1"))
    second = ran("s/gen00_ind00", "session", a=3.0, is_pruned=True)
    recorded(second, first)
    assert runs_of(workspace) == (first, second)


def test_a_run_that_is_put_again_takes_the_place_of_the_first(workspace, ran, recorded):
    run = ran("main.cpp", a=1.0, b=2.0)
    shorter = type(run)(run.key, run.source, run.name, run.at, {"a": 3.0})
    recorded(run)
    recorded(shorter)
    assert runs_of(workspace) == (shorter,)


def test_a_file_that_is_no_record_is_named(workspace):
    (workspace.folder / "scores.sqlite").write_text("no database " * 100)
    with pytest.raises(ServiceError, match=r"the record of scores '.*scores\.sqlite' cannot be used: .*; delete it"):
        runs_of(workspace)


@pytest.fixture
def session(runs, workspace):
    """A session of the workspace, whose log a test writes."""
    with LogBook.begun(runs.pipeline(trials=100, generation_size=2), workspace.folder / "first") as book:
        book.problem(seeds=({"main": "program 0"},))
        yield book


def write_trial(book, number, status="ok", failed=(), **cases):
    details = {"compilation": "success", "failed_cases": dict.fromkeys(failed, "time_limit")}
    score = sum(cases.values()) if cases else None
    reason = "" if status == "ok" else "why"
    evaluation = Evaluation(status=status, score=score, reason=reason, cases=cases, details=details)
    candidate = Candidate.of(f"program {number}", kind="cpp", operator="ahc.tune", trial=number)
    proposal = Proposal(id="p", operator="ahc.tune")
    trial = Trial(number=number, view=0, evaluation=evaluation, candidate=candidate, proposal=proposal)
    book.journal.write_trial(trial, NO_PRINTS, elapsed=1.0)


def synced(workspace):
    with open_score_record(workspace) as record:
        record_sessions(workspace, record)
        return {run.name + run.key.partition("/final")[1]: run for run in record.runs()}


def test_a_session_is_recorded_from_its_log_with_failures_and_what_was_given_up(workspace, session):
    write_trial(session, 0, a=1.0, b=2.0)
    write_trial(session, 1, "pruned", a=0.5)
    write_trial(session, 2, failed=("b",), a=4.0)
    write_trial(session, 3, "rejected")
    session.judge(2, commits=4, cases={"c": 9.0})
    found = synced(workspace)
    assert {name: dict(run.scores) for name, run in found.items()} == {
        "first/gen00_ind00": {"a": 1.0, "b": 2.0},
        "first/gen01_ind00": {"a": 0.5},
        "first/gen01_ind01": {"a": 4.0, "b": None},
        "first/gen01_ind01/final": {"c": 9.0},
    }
    assert [run.is_pruned for run in found.values()] == [False, True, False, False]
    assert found["first/gen00_ind00"].program == hash_program("program 0")


def test_what_a_session_does_later_is_recorded_when_it_is_looked_at_again(workspace, session):
    write_trial(session, 0, a=1.0)
    assert len(synced(workspace)) == 1
    write_trial(session, 1, a=2.0)
    assert len(synced(workspace)) == 2


def test_a_session_whose_folder_is_gone_stays_recorded(workspace, session):
    write_trial(session, 0, a=1.0)
    synced(workspace)
    (session.path / "run.lock.json").unlink(missing_ok=True)
    for file in session.path.iterdir():
        file.unlink()
    assert set(synced(workspace)) == {"first/gen00_ind00"}


def test_the_record_can_be_asked_with_sql(workspace, ran, recorded):
    recorded(ran("main.cpp", a=1.0), ran("main.cpp", a=3.0))
    with sqlite3.connect(workspace.folder / "scores.sqlite") as connection:
        query = "SELECT case_name, max(score) FROM scores JOIN runs ON run = key GROUP BY case_name"
        assert connection.execute(query).fetchall() == [("a", 3.0)]
