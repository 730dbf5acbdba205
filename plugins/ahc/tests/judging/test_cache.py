"""What was run is not run again, also when whoever ran it was killed; what is lost is run again."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from evograft.errors import ServiceError
from evograft_ahc.judging.cache import JudgingCache, key_of
from evograft_ahc.judging.outcome import SAME_HOUR, CaseOutcome
from evograft_ahc.judging.program import CompiledProgram
from evograft_ahc.judging.settings import JudgeSettings

USUAL = JudgeSettings()
SPINS = """#include <ctime>
#include <iostream>
int main() { while (clock() < 0.35 * CLOCKS_PER_SEC) {} std::cout << "fine" << std::endl; }
"""
RUNS = """
import sys
from contextlib import closing
from pathlib import Path
from evograft.config.pipeline import DriverSection
from evograft.session.lazy_sandbox import LazySandbox
from evograft_ahc.judging.judge import Judge
from evograft_ahc.judging.program import CompiledProgram
from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.workspace.folder import Workspace
program = CompiledProgram("slow", Path(sys.argv[2]).read_bytes())
with closing(LazySandbox(DriverSection(driver="process"), run="killed")) as sandbox:
    judge = Judge(Workspace(Path(sys.argv[1])), sandbox, JudgeSettings(parallel=1, case_seconds=2.0))
    for outcome in judge.run(program, [f"{number:04}" for number in range(20)]):
        print(outcome.model_dump_json(), flush=True)
"""
CASES = [f"{number:04}" for number in range(20)]


def test_a_killed_evaluation_goes_on_where_it_was(contest, judge_of, faulty, tmp_path):
    workspace = contest(*["slow"] * 2, *["fine"] * 18, seconds=5.0)
    for number, case in enumerate(CASES):
        workspace.input(case).write_text(f"slow {number}\n")
    judge = judge_of(workspace, "process")
    content = faulty(judge, "process").content
    (tmp_path / "program").write_bytes(content)
    command = [sys.executable, "-c", RUNS, workspace.folder, tmp_path / "program"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as killed:
        finished = [CaseOutcome.model_validate_json(killed.stdout.readline()) for _ in range(3)]
        os.kill(killed.pid, signal.SIGKILL)
    known = [
        judge._cache.find_outcome(key_of("slow", judge._harnesses["wall"].identity, judge._workspace.read_input(case)))
        for case in CASES
    ]
    assert known[:3] == finished
    assert None in known
    outcomes = list(judge.run(CompiledProgram("slow", content), CASES))
    # Times are never the same twice: these are the first ones.
    assert [outcome for outcome, before in zip(outcomes, known, strict=True) if before] == list(filter(None, known))
    assert [outcome.case for outcome in outcomes] == CASES


def test_finished_cases_are_not_run_again_unless_that_is_wanted(contest, judge_of, faulty):
    workspace = contest("fine", "crash", "fine")
    judge = judge_of(workspace)
    program = faulty(judge)
    first = list(judge.run(program, ["0000", "0001"]))
    other = judge_of(workspace)
    assert list(other.run(program, ["0000", "0001"])) == first
    assert [outcome.cpu_seconds for outcome in other.run(program, ["0000", "0001"], fresh=True)] != [
        outcome.cpu_seconds for outcome in first
    ]


def test_cases_with_the_same_input_share_an_outcome_under_their_own_names(contest, judge_of, faulty):
    judge = judge_of(contest("fine", "fine"))
    (first,) = judge.run(faulty(judge), ["0000"])
    (second,) = judge.run(faulty(judge), ["0001"])
    assert second == first.model_copy(update={"case": "0001"})


def test_an_outcome_counts_for_this_scorer_and_these_limits_only(contest, judge_of, faulty):
    workspace = contest("fine")
    (before,) = judge_of(workspace).run(faulty(judge_of(workspace)), ["0000"])
    judge_file = workspace.folder / "tools" / "judge"
    judge_file.write_text(judge_file.read_text().replace("Score = 7", "Score = 8"))
    (after,) = judge_of(workspace).run(faulty(judge_of(workspace)), ["0000"])
    assert (before.score, after.score) == (7.0, 8.0)


def test_a_scorers_own_failure_is_not_kept(contest, judge_of, faulty):
    broken = contest("fine", scorer='#!/bin/sh\ntest -e "$1" && exit 9\n')
    judge = judge_of(broken)
    list(judge.run(faulty(judge), ["0000"]))
    assert judge._cache._first("SELECT count(*) FROM outcomes") == (0,)


def test_whoever_stops_asking_spares_the_cases_that_have_not_been_started(contest, judge_of, faulty):
    judge = judge_of(contest(*[f"slow {number}" for number in range(20)], seconds=5.0))
    outcomes = judge.run(faulty(judge), CASES)
    next(outcomes)
    outcomes.close()
    judge.close()
    with sqlite3.connect(judge._cache._file) as left:
        (count,) = left.execute("SELECT count(*) FROM outcomes").fetchone()
    assert 1 <= count < 20


def test_a_session_that_is_lost_is_replaced(contest, judge_of, faulty):
    judge = judge_of(contest(*["fine 1", "fine 2", "fine 3"]))
    program = faulty(judge)
    list(judge.run(program, ["0000"]))
    with judge._workers.borrow() as worker:
        worker.session.close()
    assert [outcome.score for outcome in judge.run(program, ["0001", "0002"])] == [7.0, 7.0]


def test_a_damaged_cache_is_named_with_what_to_do(contest):
    workspace = contest("fine")
    JudgingCache(workspace, USUAL).close()
    (workspace.folder / ".cache" / "judging.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(ServiceError, match=r"judging\.sqlite' cannot be used: .*delete it"):
        JudgingCache(workspace, USUAL)


def test_of_programs_only_the_latest_are_kept(contest):
    cache = JudgingCache(contest("fine"), USUAL)
    for number in range(1005):
        cache.put_program(f"key {number}", b"content")
    assert cache.find_program("key 4") is None
    assert cache.find_program("key 5") == (b"content", "")
    cache.close()


def test_of_outputs_the_latest_are_kept_up_to_a_length(contest):
    settings = USUAL.model_copy(update={"kept_outputs": 2, "kept_output_mb": 0.001})
    with closing(JudgingCache(contest("fine"), settings)) as cache:
        for key, length in (("first", 1), ("second", 1000), ("third", 1000), ("long", 1001)):
            cache.put_output(key, b"x" * length)
        assert {key: cache.find_output(key) is not None for key in ("first", "second", "third", "long")} == {
            "first": False,
            "second": True,
            "third": True,
            "long": False,
        }


def test_no_part_of_a_key_runs_into_the_next():
    assert len({key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("ab", "c", ""), key_of(b"2:ab", "c")}) == 5


def test_an_outcome_of_a_program_that_runs_by_the_clock_is_good_for_an_hour():
    limit, now = 2.0, 10_000.0
    for seconds, age, outdated in ((1.9, 3700, True), (1.9, 3500, False), (0.9, 3700, False), (0.9, 10_000, False)):
        outcome = CaseOutcome(case="0000", kind="score", score=1.0, cpu_seconds=seconds, measured_at=now - age)
        assert outcome.is_outdated(limit, now) == outdated
    waited = CaseOutcome(case="0000", kind="score", score=1.0, cpu_seconds=0.4, waited_seconds=1.5)
    assert waited.is_outdated(limit, now)


def test_an_outdated_outcome_is_measured_again(contest, judge_of, monkeypatch):
    judge = judge_of(contest("fine"))
    program = judge.compile(SPINS)
    (first,) = judge.run(program, ["0000"])
    (kept,) = judge.run(program, ["0000"])
    later = time.time() + 2 * SAME_HOUR
    monkeypatch.setattr(time, "time", lambda: later)
    (again,) = judge.run(program, ["0000"])
    assert kept == first
    assert (again.kind, again.measured_at > first.measured_at) == ("score", True)
