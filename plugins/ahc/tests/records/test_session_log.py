"""What `session.log` and `ahc_agent.log` say."""

import json
import re
import time
from datetime import datetime

import pytest
from logbook import LogBook

from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft_ahc.records.agent_log import KEPT, AgentLog
from evograft_ahc.records.entry import SessionLogEntry
from evograft_ahc.records.exporter import SessionExporter
from evograft_ahc.records.outputs import NoOutputs
from evograft_ahc.settings.records import SessionRecordOptions


@pytest.fixture
def logged(book):
    """`logged(**logging)` is the session log of a run with two calls, an instruction and a judgement."""
    now = time.time()
    book.problem()
    book.call(0, seconds=2.5, at=now)
    book.trial(10.0)
    book.call(1, refused="too long", at=now)
    book.trial(None, files=None, reason="no answer")
    book.control("tell", "try beam search")
    book.judge(0, commits=2, score=9.0)

    def export(**logging):
        options = SessionRecordOptions(logging=logging)
        with open_journal(book.path) as journal:
            exporter = SessionExporter(open_run(book.path), journal, options=options, outputs=NoOutputs())
            exporter.catch_up()
            exporter.close()
        return (book.path / "logs" / "session.log").read_text()

    return export


def test_prompts_and_answers_are_told_in_full_with_their_duration(logged):
    text = logged()
    assert "model asked model=dear trial=0 hook=mutate plugin=lab seconds=2.5" in text
    assert "  prompt:\n    [user]\n    ?\n  answer:\n    !\n" in text
    assert 'refused="too long"' in text
    assert "try beam search" in text
    assert "final judgement" in text


def test_prompts_may_be_told_by_hash_and_number_of_tokens(logged):
    lines = [json.loads(line) for line in logged(prompts="hash", json_lines=True).splitlines()]
    asked = [line for line in lines if line["event"] == "model asked"]
    assert asked[0]["prompt"].startswith("sha256:")
    assert (asked[0]["prompt_tokens"], asked[0]["completion_tokens"]) == (100, 50)
    assert "?" not in asked[0]["prompt"]


def test_each_line_of_json_is_an_object_with_time_and_level(logged):
    lines = [json.loads(line) for line in logged(json_lines=True).splitlines()]
    assert [line["event"] for line in lines] == [
        *("problem analysed", "model asked", "new best", "model asked", "candidate", "tell", "final judgement"),
    ]
    times = [datetime.fromisoformat(line["time"]) for line in lines]
    assert all(time.tzinfo is not None for time in times)
    assert [line["level"] for line in lines[1:5]] == ["DEBUG", "INFO", "WARNING", "WARNING"]


def test_candidates_are_told_when_they_are_committed_and_those_that_wait_at_the_end(runs, tmp_path):
    with LogBook.begun(runs.pipeline(trials=100), tmp_path / "run") as book:
        book.problem()
        for number in (1, 0, 3):
            book.trial(float(number), number=number)
        book.control("stop", "enough")
        with open_journal(book.path) as journal:
            exporter = SessionExporter(
                open_run(book.path), journal, options=SessionRecordOptions(), outputs=NoOutputs()
            )
            exporter.catch_up()
            exporter.tell_waiting()
            exporter.close()
    lines = (book.path / "logs" / "session.log").read_text().splitlines()
    told = [re.search(r"(new best|candidate|stop).* trial=(\d+)", line) for line in lines]
    assert [match[2] for match in told if match] == ["0", "1", "3"]
    assert "trial=3" in lines[-1]
    assert (book.path / "best_solution.cpp").is_file()


def test_keys_are_masked(logged, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "try beam search")
    assert "try beam search" not in logged()


def test_no_answer_reaches_the_terminal_of_its_reader():
    entry = SessionLogEntry(
        1.0, "INFO", "candidate", {"reason": "a\x1b[2Jb\nCRITICAL forged"}, {"feedback": "\x1b]0;x\x07 \u202e"}
    )
    short = SessionLogEntry(1.0, "INFO", "candidate", {"reason": "a\x1b[2Jb"})
    for line in (entry.as_line(), entry.as_json(), short.as_line()):
        assert "\x1b" not in line
    assert "\nCRITICAL" not in entry.as_line()
    assert "<U+202E>" in entry.as_line()


def test_a_line_below_the_level_is_left_out(logged):
    assert "model asked" in logged(level="WARNING")
    assert "new best" not in logged(level="WARNING")


# -- the application's log --------------------------------------------------------------------------------------------


def test_a_fatal_error_has_its_stack_trace(tmp_path):
    log = AgentLog(tmp_path, SessionRecordOptions())
    log.say("CRITICAL", "session ends", "Traceback:\n  boom", session="first")
    text = (tmp_path / "ahc_agent.log").read_text()
    assert "CRITICAL session ends session=first\n  trace:\n    Traceback:\n      boom\n" in text


def test_a_full_file_is_put_aside_and_few_are_kept(tmp_path, monkeypatch):
    clock = iter(range(1_700_000_000, 1_800_000_000, 1000))
    monkeypatch.setattr("evograft_ahc.records.agent_log.time.time", lambda: float(next(clock)))
    log = AgentLog(tmp_path, SessionRecordOptions(max_log_size_mb=0.0001))
    for number in range(40):
        log.say("INFO", "session begins", session=f"s{number}")
    older = list(tmp_path.glob("ahc_agent.log.*"))
    assert len(older) == KEPT
    assert "s39" in (tmp_path / "ahc_agent.log").read_text()


def test_an_old_file_is_put_aside(tmp_path, monkeypatch):
    clock = iter((1_700_000_000.0, 1_700_000_010.0, 1_700_100_000.0))
    monkeypatch.setattr("evograft_ahc.records.agent_log.time.time", lambda: next(clock))
    for json_lines in (False, True):
        clock = iter((1_700_000_000.0, 1_700_000_010.0, 1_700_100_000.0))
        folder = tmp_path / str(json_lines)
        folder.mkdir()
        log = AgentLog(folder, SessionRecordOptions(logging={"json_lines": json_lines}))
        for event in ("one", "two", "three"):
            log.say("INFO", event)
        (older,) = folder.glob("ahc_agent.log.*")
        assert "two" in older.read_text()
        assert "three" in (folder / "ahc_agent.log").read_text()


def test_lesser_lines_are_left_out(tmp_path):
    AgentLog(tmp_path, SessionRecordOptions(logging={"level": "ERROR"})).say("INFO", "session begins")
    assert not (tmp_path / "ahc_agent.log").exists()
