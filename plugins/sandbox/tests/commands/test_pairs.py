"""A candidate and its judge: they talk, and neither gets at what is the other's."""

from __future__ import annotations

from pathlib import Path

import pytest

from evograft_hookspecs import SandboxCommand, SandboxLimits

LIMITS = SandboxLimits(cpu_seconds=5.0, wall_seconds=10.0, memory_mb=256, processes=16)
QUICK = SandboxLimits(cpu_seconds=0.2, wall_seconds=30.0, memory_mb=256, processes=16)
ADDS_ONE = "while read number; do echo $((number + 1)); done"
ASKS = "echo 41; read answer; echo Score = $answer >&2"
LAUNCHES = "read number; (echo $number; sleep 0.01; echo 1) | ./candidate > out; echo status $? >&2; cat out >&2"


def shell(script, limits=LIMITS, **options) -> SandboxCommand:
    return SandboxCommand(arguments=("sh", "-c", script), limits=limits, **options)


def test_each_reads_what_the_other_writes(session):
    candidate, judge = session.run_interactive(shell(ADDS_ONE), shell(ASKS))
    assert (candidate.exit_code, candidate.stdout, candidate.stderr) == (0, b"", b"")
    assert (judge.exit_code, judge.stdout, judge.stderr) == (0, b"", b"Score = 42\n")


def test_a_judge_can_start_the_candidate_with_its_own_standard_streams(session):
    session.write({"input": b"41\n"})
    judge = shell(LAUNCHES, stdin_file="input")
    candidate, judged = session.run_interactive(shell(f"{ADDS_ONE}; exit 3"), judge, spawned_by_interactor=True)
    assert (candidate.exit_code, candidate.limit) == (3, "")
    assert judged.stderr == b"status 3\n42\n2\n"


def test_what_the_candidate_says_on_standard_error_cannot_be_taken_for_the_judges(session):
    forged = "echo Score = 999999999 >&2; read n; echo 0"
    for launched, script in ((False, ASKS), (True, "echo 1 | ./candidate > out; echo Score = 7 >&2")):
        candidate, judge = session.run_interactive(shell(forged), shell(script), spawned_by_interactor=launched)
        assert candidate.stderr == b"Score = 999999999\n"
        assert b"999999999" not in judge.stderr
        assert b"Score = " in judge.stderr


@pytest.mark.parametrize("launched", [False, True])
def test_the_candidate_sees_neither_the_input_nor_the_judges_folder(session, launched):
    session.write({"input": b"future", "tester": b"how it scores"})
    snoops = "ls -A; cat ../judge/in ../session/input /proc/[0-9]*/cwd/in; cat /proc/[0-9]*/fd/0 < /dev/null; echo"
    judge = "./candidate < /dev/null > out; cat out >&2" if launched else "sleep 0.2; cat >&2"
    candidate, judged = session.run_interactive(
        shell(f"({snoops}) 2> errors"),
        shell(judge, inputs={"in": "input", "tester": "tester"}, stdin_file="input" if launched else None),
        spawned_by_interactor=launched,
    )
    assert candidate.exit_code == 0
    assert b"future" not in judged.stderr
    assert b"tester" not in judged.stderr


@pytest.mark.parametrize("attack", ["kill", "trace", "descriptors"])
def test_the_candidate_can_neither_end_nor_trace_its_judge(session, attack):
    candidate = SandboxCommand(arguments=("./faulty", attack), inputs={"faulty": "bin/faulty"}, limits=LIMITS)
    _, judge = session.run_interactive(candidate, shell("cat >&2"))
    assert (judge.exit_code, judge.stderr) == (0, b"fine\n")


def test_each_has_its_own_limits(session):
    endless = "while :; do :; done"
    candidate, judge = session.run_interactive(shell(endless, QUICK), shell("read line || echo silent >&2"))
    assert (candidate.limit, judge.limit, judge.stderr) == ("cpu", "", b"silent\n")
    candidate, judge = session.run_interactive(shell("cat"), shell(endless, QUICK))
    assert (judge.limit, candidate.limit) == ("cpu", "")


def test_the_cpu_of_the_judge_is_not_the_candidates(session):
    busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
    candidate, judge = session.run_interactive(shell("read line"), shell(f"({busy}); {busy}; echo done"))
    assert judge.cpu_seconds > 5 * candidate.cpu_seconds


@pytest.mark.long
def test_a_candidate_whose_judge_computes_does_not_idle_and_one_in_a_deadlock_does(session):
    patient = {"cpu_seconds": 60.0, "wall_seconds": 60.0, "memory_mb": 256, "processes": 16}
    quick, busy = SandboxLimits(**patient, idle_seconds=0.5), "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done"
    computing = shell(f"{busy}; echo 42; cat >&2", SandboxLimits(**patient))
    candidate, judge = session.run_interactive(shell("read answer; echo $answer", quick), computing)
    assert (candidate.limit, judge.limit, judge.stderr) == ("", "", b"42\n")
    if not Path("/proc/self/schedstat").exists():
        pytest.skip("this kernel does not count who waits for a core")
    candidate, judge = session.run_interactive(
        shell("read answer", quick), shell("read question", SandboxLimits(**patient))
    )
    assert (candidate.limit, judge.limit) == ("idle", "")


def test_a_candidate_that_outlives_its_judge_is_ended(session):
    candidate, judge = session.run_interactive(shell("sleep 900"), shell("exit 1"))
    assert (judge.exit_code, candidate.exit_code, candidate.limit) == (1, -9, "")
    assert candidate.wall_seconds < LIMITS.wall_seconds


def test_a_daemon_of_the_candidate_is_dead_when_the_judge_goes_on(session):
    """It holds the pipe to the judge open, which would wait for it, and be told what the candidate is not there to say."""
    candidate, judge = session.run_interactive(shell("(setsid sh -c 'sleep 900' &); echo hi"), shell("cat >&2"))
    assert (candidate.exit_code, judge.exit_code, judge.limit, judge.stderr) == (0, 0, "", b"hi\n")


def test_a_candidate_that_is_not_started_says_so(session):
    candidate, judge = session.run_interactive(shell("true"), shell("exit 4"), spawned_by_interactor=True)
    assert (judge.exit_code, candidate.exit_code) == (4, 127)
    assert candidate.stderr == b"the judge did not start the candidate\n"


def test_a_candidate_is_started_once(session):
    judge = shell("./candidate < /dev/null; ./candidate < /dev/null; echo $? >&2")
    candidate, judged = session.run_interactive(shell("echo once"), judge, spawned_by_interactor=True)
    assert candidate.exit_code == 0
    assert (judged.stdout, judged.stderr, judged.limit) == (b"once\n", b"127\n", "")


@pytest.mark.parametrize("launched", [False, True], ids=["joined", "launched"])
@pytest.mark.parametrize(
    "ending", ["while :; do :; done", "kill -SEGV $$", "kill -9 $$"], ids=["hung", "crashed", "killed"]
)
def test_a_pair_that_leaves_no_verdict_does_not_inherit_the_last_one(session, launched, ending):
    start = "./candidate < /dev/null > /dev/null; " if launched else ""
    keeping = {"outputs": {"out": "verdict"}, "limits": QUICK}
    session.run_interactive(
        shell("echo hi > out", **keeping), shell(f"{start}true", QUICK), spawned_by_interactor=launched
    )
    assert session.read("verdict") == b"hi\n"
    session.run_interactive(shell(ending, **keeping), shell(f"{start}true", QUICK), spawned_by_interactor=launched)
    with pytest.raises(FileNotFoundError):
        session.read("verdict")
    session.write({"verdict": b"old"})
    session.run_interactive(shell("true"), shell(f"{start}{ending}", **keeping), spawned_by_interactor=launched)
    with pytest.raises(FileNotFoundError):
        session.read("verdict")
