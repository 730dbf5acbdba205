"""Whatever a program does on a case is the failure of that case: other cases are as they would be without it."""

from __future__ import annotations

import secrets
import subprocess

import psutil
import pytest

FAULTS = {
    "loop": "time_limit",
    "sleep": "time_limit",
    "stop": "time_limit",
    "forks": "process_limit",
    "memory": "memory_limit",
    "output": "output_limit",
    "errors": "output_limit",
    "nothing": "wrong_answer",
    "forged": "wrong_answer",
    "crash": "runtime_error",
    "abort": "runtime_error",
    "secrets": "runtime_error",
    "siblings": "runtime_error",
    "socket": "runtime_error",
    "outside": "runtime_error",
    "parent": "runtime_error",
    "delete": "runtime_error",
    "daemon": "score",
}
BESIDE_A_SCORER = {"output": "wrong_answer"}
"""A scorer need not read on for ever."""
INPUTS = [word for fault in FAULTS for word in (fault, "fine")]


@pytest.mark.parametrize("interactive", [False, True], ids=["ordinary", "interactive"])
def test_each_faulty_program_fails_by_itself(contest, judge_of, faulty, driver, interactive):
    name = secrets.token_hex(7)
    judge = judge_of(contest(*(f"{fault} {name}" for fault in INPUTS), interactive=interactive), driver)
    outcomes = list(judge.run(faulty(judge, driver), [f"{number:04}" for number in range(len(INPUTS))]))
    assert [process for process in psutil.process_iter(["name"]) if process.info["name"] == name] == []
    kinds = dict(zip(INPUTS, (outcome.kind for outcome in outcomes), strict=True))
    assert kinds == {**FAULTS, **(BESIDE_A_SCORER if interactive else {}), "fine": "score"}
    assert [outcome.score for outcome in outcomes if outcome.kind == "score"] == [7.0] * (len(FAULTS) + 1)
    assert [outcome.case for outcome in outcomes] == [f"{number:04}" for number in range(len(INPUTS))]


@pytest.mark.parametrize("interactive", [False, True], ids=["ordinary", "interactive"])
def test_an_outcome_says_what_happened(contest, judge_of, faulty, interactive):
    judge = judge_of(contest("crash", "abort", "nothing", "loop", interactive=interactive))
    crash, aborted, nothing, loop = judge.run(faulty(judge), ["0000", "0001", "0002", "0003"])
    assert crash.message == "was ended by SIGSEGV"
    assert aborted.message == "was ended by SIGABRT; what went wrong"
    assert nothing.message == "wrong answer: it is not fine"
    assert loop.message == "used more than 0.6 s of processor time"
    assert loop.cpu_seconds > 0.6
    assert {outcome.score for outcome in (crash, aborted, nothing, loop)} == {None}


def test_what_a_program_prints_can_be_had_for_a_picture(contest, judge_of, faulty):
    for interactive in (False, True):
        judge = judge_of(contest("fine", interactive=interactive))
        program = faulty(judge)
        list(judge.run(program, ["0000"]))
        assert judge.printed_by(program.key, "0000")[0] == b"fine\n"


SCORERS = {
    "crashes": ("kill -SEGV $$", "was ended by SIGSEGV"),
    "fails": ("echo 'no such file' >&2; exit 2", "ended with exit status 2: no such file"),
    "prints nonsense": ("echo 'Score = maximal' >&2", "printed no score on stderr: Score = maximal"),
    "says nothing": ("true", "printed no score on stderr"),
    "prints to the other channel": ("echo 'Score = 7'", "printed no score on stderr"),
}


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_that_fails_is_the_contests_fault(contest, judge_of, faulty, name):
    script, message = SCORERS[name]
    judge = judge_of(contest("fine", scorer=f"#!/bin/sh\n{script}\n"))
    (outcome,) = judge.run(faulty(judge), ["0000"])
    assert (outcome.kind, outcome.score) == ("tester", None)
    assert outcome.message == f"the contest's own scorer {message}"


def test_a_tester_that_does_not_start_the_program_is_the_contests_fault(contest, judge_of, faulty):
    judge = judge_of(contest("fine", interactive=True, scorer="#!/bin/sh\necho 'Score = 9' >&2\n"))
    (outcome,) = judge.run(faulty(judge), ["0000"])
    assert outcome.kind == "tester"
    assert outcome.message.startswith("the contest's own scorer did not start the program and ended with exit status 0")


THINKS = """#!/bin/sh
read word
(i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done; echo "$word") | ./candidate > out
echo "Score = 7" >&2
"""


def test_a_tester_that_thinks_for_longer_than_the_time_limit_costs_the_program_nothing(contest, judge_of, faulty):
    judge = judge_of(contest("fine", interactive=True, scorer=THINKS, seconds=0.8))
    (outcome,) = judge.run(faulty(judge), ["0000"])
    assert (outcome.kind, outcome.score) == ("score", 7.0)
    assert outcome.wall_seconds < 0.8


def test_a_scorer_that_is_not_there_is_named(contest, judge_of):
    workspace = contest("fine")
    (workspace.folder / "tools" / "judge").unlink()
    with pytest.raises(Exception, match=r"the scorer 'tools/judge' of own001 cannot be read: .*: evo ahc init own001"):
        judge_of(workspace)


@pytest.mark.docker
def test_no_container_is_left(contest, judge_of, faulty):
    judge = judge_of(contest("fine", "forks"), "docker")
    assert [outcome.kind for outcome in judge.run(faulty(judge, "docker"), ["0000", "0001"])] == [
        "score",
        "process_limit",
    ]
    judge.close()
    running = subprocess.run(
        ["docker", "ps", "--quiet", "--filter", "label=evograft.run=tests"], capture_output=True, check=True
    )
    assert running.stdout == b""
