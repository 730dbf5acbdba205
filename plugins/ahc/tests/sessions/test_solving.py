"""A session from `solve` to the program that is submitted, judged for real."""

import json
import os
import shutil
import signal
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from python_process import run_evo

from evograft.errors import UserError
from evograft.runs.storage import writer_of
from evograft_ahc.records.results import read_rows
from evograft_ahc.sessions.locations import get_session
from evograft_ahc.workspace.end_check import remember_end

pytestmark = pytest.mark.long

FEW = (
    *("--set", "plugins.ahc.with.training_cases=4"),
    *("--set", "plugins.ahc.with.held_out_cases=2"),
    *("--set", "budget.trials=1"),
)
"""The start program, on a few cases."""


def wait_for(condition):
    """Far longer than it takes, so that a session that died ends the test."""
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


@pytest.fixture
def run_status(evo):
    return lambda *session: json.loads(evo("ahc", "status", *session, "--json").stdout)


@pytest.fixture
def solved(practice, evo):
    """The folder of a session that is over."""
    evo("ahc", "solve", "--session-name", "first", "--foreground", *FEW)
    return practice.folder / "first"


def test_a_session_leaves_its_files_and_a_row(solved, practice):
    assert (solved / "best_solution.cpp").read_text() == practice.start_program.read_text()
    told = json.loads((solved / "candidates" / "gen00_id00.json").read_text())
    assert (told["compilation_status"], told["evaluation_status"]) == ("success", "completed")
    assert sorted(told["evaluation_scores"]) == [f"seed000{number}.txt" for number in range(4)]
    assert len(list((solved / "scores" / "gen00_id00").iterdir())) == 4
    outputs = sorted((solved / "outputs" / "gen00_id00").iterdir())
    assert [path.name for path in outputs] == [f"000{number}.out" for number in range(4)]
    assert all(path.stat().st_size for path in outputs)
    (row,) = read_rows(practice.results)
    assert (row["session_name"], row["status"]) == ("first", "completed")
    assert float(row["best_score"]) == told["average_score"]


@pytest.fixture
def linking(tmp_path):
    """A statement that leads to a contest that nobody knows."""
    statement = tmp_path / "other.md"
    statement.write_text("# Other\n\n[task](https://atcoder.jp/contests/ahc778/tasks/ahc778_a)\n")
    return statement


def test_no_session_begins_or_resumes_with_a_statement_of_a_contest_whose_end_nobody_knows(
    practice, evo, linking, private_home
):
    begin = ("ahc", "solve", "--session-name", "first", "--foreground", "--problem-file", linking, *FEW)
    run = ("run", "--plugin", "ahc", "--set", f"plugins.ahc.with.workspace={practice.folder}")
    for command in (begin, (*run, "--set", f"plugins.ahc.with.problem_file={linking}")):
        with pytest.raises(UserError, match="leads to contest 'ahc778', and nobody knows when that ends"):
            evo(*command)
    assert not (practice.folder / "first").exists()
    remember_end("ahc778", datetime.now(UTC) - timedelta(days=1))
    evo(*begin)
    shutil.rmtree(next(private_home.rglob("ahc/ends")))
    more = ("--set", "budget.trials=2")
    for command in (("ahc", "solve", "--session-id", "first", "--foreground", *more), ("resume", "first", *more)):
        with pytest.raises(UserError, match="leads to contest 'ahc778', and nobody knows when that ends"):
            evo(*command)
    assert json.loads(evo("status", "first", "--json").stdout)["trials"] == 1


def test_the_best_program_is_put_where_it_can_be_pasted_from(solved, practice, evo, tmp_path):
    told = json.loads(evo("ahc", "submit-file", "--json").stdout)
    assert told["file"] == str(practice.folder / "submit.cpp")
    assert (practice.folder / "submit.cpp").read_text() == practice.start_program.read_text()
    assert told["bytes"] == len(practice.start_program.read_bytes()) < told["limit"] == 512 * 1024
    evo("ahc", "submit-file", "first", "--output", tmp_path / "paste.cpp")
    assert (tmp_path / "paste.cpp").exists()


def test_the_status_tells_all_that_is_specified(solved, evo, run_status):
    told = run_status()
    assert told["session"] == "first"
    assert told["state"] == "complete"
    assert told["best_individual"] == "gen00_ind00"
    assert told["tokens"] == {"prompt": 0, "completion": 0, "total": 0}
    assert (told["succeeded"], told["failed"]) == (1, 0)
    assert run_status("first") == run_status(told["session_id"]) == told
    assert [each["session"] for each in run_status("--all")] == ["first"]
    lines = evo("ahc", "status").stdout
    assert "best: " in lines
    assert "gen00_ind00" in lines
    assert evo("ahc", "status", "--watch").stdout.startswith("first  complete")


def test_a_session_goes_on_under_the_settings_as_they_are_now(solved, practice, evo):
    evo("ahc", "config", "logging.level", "WARNING")
    evo("ahc", "config", "evolution.population_size", "7")
    done = evo("ahc", "solve", "--session-id", "first", "--foreground", "--set", "budget.trials=1")
    assert "population_size stays 10" in done.stderr
    lock = (solved / "pipeline.lock.yaml").read_text()
    assert "level: WARNING" in lock
    assert len(read_rows(practice.results)) == 1


def test_a_session_is_told_answered_and_reported_by_its_own_commands(solved, evo):
    told = evo("ahc", "tell", "first", "try beam search")
    waits = "session first is not running; it gets this when it is resumed: evo ahc solve --session-id first\n"
    assert (told.stdout, told.stderr) == (
        waits,
        "this session asks no model: its instructions may find nobody to follow them\n",
    )
    told = json.loads(evo("ahc", "tell", "colder", "--json").stdout)
    assert (told["session"], told["reception"]) == ("first", "not_running")
    with pytest.raises(UserError, match="in quotes"):
        evo("ahc", "tell", "first", "try", "beam", "search")
    assert len(list((solved / "inbox").iterdir())) == 2
    assert json.loads(evo("ahc", "answer", "--json").stdout) == []
    assert evo("ahc", "report", "first").stdout == f"page = {solved / 'report.html'}\n"
    assert '<html lang="en"' in (solved / "report.html").read_text()


@pytest.mark.slow
def test_a_session_goes_on_in_the_background_until_it_is_stopped(practice, evo, evo_apart, run_status):
    cases = ("--set", "plugins.ahc.with.training_cases=4", "--set", "plugins.ahc.with.held_out_cases=1")
    started = json.loads(evo_apart("ahc", "solve", "--session-id", "mine", *cases, "--json").stdout)
    assert started["session"] == "mine"
    wait_for(lambda: run_status("mine")["state"] != "running" or run_status("mine")["succeeded"])
    with pytest.raises(UserError, match="--session-name"):
        evo("ahc", "solve", "--session-id", "mine", "--session-name", "other")
    if run_status("mine")["state"] == "running":
        with pytest.raises(UserError, match="evo ahc tell mine TEXT"):
            evo("ahc", "solve", "--session-id", "mine", "--interactive")
        assert evo("ahc", "tell", "mine", "try beam search").stdout.startswith(
            ("told session mine", "session mine is busy")
        )
        assert json.loads(evo("ahc", "stop", "--json").stdout)["session"] == "mine"
    wait_for(lambda: run_status("mine")["state"] != "running")
    assert get_session(practice, None).name == "mine"


def test_a_session_that_was_killed_goes_on_to_whole_files(practice, evo, evo_apart):
    few = ("--set", "plugins.ahc.with.training_cases=4", "--set", "plugins.ahc.with.held_out_cases=1")
    command = ("--session-id", "killed", "--population-size", "3", "--max-generations", "1", *few)
    process = json.loads(evo_apart("ahc", "solve", *command, "--json").stdout)["process"]
    folder = practice.folder / "killed"
    wait_for((folder / "candidates" / "gen00_id00.json").exists)
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    wait_for(lambda: writer_of(folder) is None)
    evo("ahc", "solve", "--session-id", "killed", "--max-generations", "1", "--foreground")
    names = ["gen00_id00.json", *(f"gen01_id0{number}.json" for number in range(3))]
    assert sorted(path.name for path in (folder / "candidates").iterdir()) == names
    told = [line for line in (folder / "logs" / "session.log").read_text().splitlines() if " individual=" in line]
    assert len(told) == len(names) + 1, "each once, and the final judgement"
    assert json.loads((folder / "session.json").read_text())["status"] == "completed"


def test_the_log_tells_what_compiling_and_judging_took_by_the_clock_also_after_a_resume(practice, evo):
    two = tuple("budget.trials=2" if word == "budget.trials=1" else word for word in FEW)
    evo("ahc", "solve", "--session-name", "first", "--foreground", *two)
    first = practice.folder / "first"
    before = durations_in(first)
    evo("ahc", "solve", "--session-id", "first", "--foreground", "--set", "budget.trials=3")
    after = durations_in(first)
    assert {label: after[label] for label in ("trial 0", "trial 1")} == {
        label: before[label] for label in ("trial 0", "trial 1")
    }
    assert set(after) == {"trial 0", "trial 1", "trial 2", "final judgement"}
    assert all(seconds > 0 for took in after.values() for seconds in took), after


def durations_in(session):
    """By trial what compiling and judging took, as the session's log tells."""
    found = {}
    for line in (session / "logs" / "session.log").read_text().splitlines():
        told = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if "individual" in told:
            label = f"trial {told['trial']}" if "trial" in told else "final judgement"
            found[label] = (float(told["compiling_seconds"]), float(told["judging_seconds"]))
    return found


def test_in_conversation_the_first_word_may_be_to_stop(practice):
    command = ("ahc", "solve", "--session-name", "talk", "--interactive", *FEW)
    done = run_evo(*command, cwd=practice.folder, input="q\n")
    assert done.returncode == 130, done.stderr
    assert "\n1. The problem: " in done.stdout
    assert '{"' not in done.stdout.partition("candidates: cpp")[2].partition("2. ")[0], "no raw data"
    assert done.stdout.endswith("go on with this session: evo ahc solve --session-id talk\n")
    assert [row["status"] for row in read_rows(practice.results)] == ["stopped"]


def test_a_conversation_is_in_the_language_of_the_settings_to_its_end(practice, evo):
    evo("ahc", "config", "language", "ja")
    command = ("ahc", "solve", "--session-name", "talk", "--interactive", *FEW)
    done = run_evo(*command, cwd=practice.folder, input="\n\n\n")
    assert done.returncode == 0, done.stderr
    for said in (
        "\n1. 問題: ",
        "制限: ",
        "この問題でよいですか? ([Enter] で続行",
        "\n2. 戦略",
        "\n3. 最初に動いたプログラム",
    ):
        assert said in done.stdout
    (row,) = read_rows(practice.results)
    assert f"4 ケースの平均 {float(row['best_score']):,.10g}" in done.stdout
    assert "Is that the problem" not in done.stdout


def test_nothing_begins_without_the_key_that_the_settings_name(practice, evo, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    evo("ahc", "config", "llm.provider", "openai")
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        evo("ahc", "solve")
    evo("ahc", "config", "language", "ja")
    with pytest.raises(UserError, match="環境変数 OPENAI_API_KEY"):
        evo("ahc", "solve")
    assert not list(practice.folder.glob("session_*"))


def test_a_contest_that_nobody_knows_to_be_over_is_not_worked_on(practice, evo):
    task = json.loads((practice.folder / "task.json").read_text())
    (practice.folder / "task.json").write_text(json.dumps({**task, "contest_id": "ahc999", "end_source": "page"}))
    with pytest.raises(UserError, match="ahc999"):
        evo("ahc", "solve", "--foreground")
    assert not list(practice.folder.glob("session_*"))


def test_outside_of_a_workspace_it_is_said_how_to_make_one(tmp_path, monkeypatch, evo):
    monkeypatch.chdir(tmp_path)
    for command in ("solve", "status", "stop", "submit-file"):
        with pytest.raises(UserError, match="evo ahc init"):
            evo("ahc", command)
