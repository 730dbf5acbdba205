"""Verdicts, told from how programs and scorers ended: the words of scorers are as official ones have them."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_ahc.contests.task import Scorer
from evograft_ahc.judging.verdict import ProgramRun, find_own_failure, judge_run
from evograft_hookspecs import CommandResult

ON_STDERR = Scorer(program="x", channel="stderr", pattern=r"^Score = (-?[\d.e+]+)$")
ON_STDOUT = Scorer(program="x", channel="stdout", pattern=r"^Score = (-?\d+)$")
BARE = Scorer(program="x", channel="stdout", pattern=r"^(\d+)$")
COST = Scorer(program="x", channel="stderr", pattern=r"^Total Cost = (\d+)$")


def ended(exit_code=0, stderr="", stdout="", **others) -> CommandResult:
    times = {"cpu_seconds": 0.1, "wall_seconds": 0.2, "waited_seconds": 0.1, "peak_memory_mb": 3.0}
    return CommandResult(exit_code=exit_code, stdout=stdout.encode(), stderr=stderr.encode(), **{**times, **others})


def verdict(said: CommandResult, scorer: Scorer = ON_STDERR, program: CommandResult | None = None, *, beside=False):
    run = ProgramRun("0000", program or ended(), beside=said if beside else None)
    outcome = find_own_failure(run, seconds=2.0) or judge_run(run, said, scorer)
    return outcome.kind, outcome.score


@pytest.mark.parametrize(
    ("said", "scorer", "score"),
    [
        (ended(stderr="Score = 120\n"), ON_STDERR, 120.0),
        (ended(stdout="Score = 120\n"), ON_STDOUT, 120.0),
        (ended(stderr="Score = -3.5\n"), ON_STDERR, -3.5),
        (ended(stdout="4711\n"), BARE, 4711.0),
        (ended(stderr="Number of turns = 12\nTotal Cost = 99\n"), COST, 99.0),
        (ended(stderr="Score = 1\nScore = 2\n"), ON_STDERR, 2.0),
        (ended(stderr="Score = 0\n"), ON_STDERR, 0.0),
        (ended(stderr="Score = 5\n", stdout="Score = 6\n# illegal moves tried: 3\n"), ON_STDERR, 5.0),
    ],
)
def test_the_last_score_on_the_scorers_channel_counts(said, scorer, score):
    assert verdict(said, scorer) == ("score", score)
    assert verdict(said, scorer, beside=True) == ("score", score)


@pytest.mark.parametrize(
    ("said", "scorer"),
    [
        (ended(stderr="Illegal output: 7\nScore = 0\n"), ON_STDERR),
        (ended(exit_code=1, stderr="Your program has terminated unexpectedly\n"), ON_STDERR),
        (ended(exit_code=1, stderr="two pets on one square\nScore = 0\n"), ON_STDERR),
        (ended(stderr="two pets on one square\nScore = 0\n"), ON_STDERR),
        (ended(stdout="Score = 0\nOut of range: 9\n"), ON_STDOUT),
        (ended(stdout="Score = 5\n", stderr="Unexpected EOF\n"), ON_STDOUT),
        (ended(exit_code=101, stderr="panicked: Os { kind: BrokenPipe }\n"), ON_STDERR),
        (ended(stderr="Parse error: Score = 999999999\n"), ON_STDERR),
        (ended(stderr="wrong answer: the score would be\nScore = 999999999\n"), ON_STDERR),
    ],
)
def test_what_a_scorer_says_of_a_wrong_answer_overrides_any_score(said, scorer):
    assert verdict(said, scorer) == ("wrong_answer", None)
    assert verdict(said, scorer, beside=True) == ("wrong_answer", None)


@pytest.mark.parametrize(
    "said",
    [
        ended(exit_code=101, stderr="thread 'main' panicked at src/main.rs\nScore = 5\n"),
        ended(exit_code=-signal.SIGSEGV, stderr="Score = 5\n"),
        ended(exit_code=-signal.SIGKILL, limit="cpu", stderr="Score = 5\n"),
        ended(exit_code=127, stderr="cannot run ./scorer: No such file\n"),
        ended(exit_code=1, stderr="Score = 5\n"),
        ended(stderr="Score = inf\n"),
        ended(stderr="Score = 1e999\n"),
        ended(stderr="Score = 1.2.3\n"),
        ended(stderr="Score = \n"),
        ended(stdout="Score = 5\n"),
        ended(),
    ],
)
def test_a_scorer_that_crashes_or_prints_nonsense_is_at_fault_itself(said):
    assert verdict(said) == ("tester", None)


PERFECT = ended(stderr="Score = 1000000\n")


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (ended(exit_code=-signal.SIGKILL, limit="cpu"), "time_limit"),
        (ended(exit_code=-signal.SIGKILL, limit="wall"), "time_limit"),
        (ended(exit_code=-signal.SIGKILL, limit="idle"), "time_limit"),
        (ended(exit_code=-signal.SIGKILL, limit="memory"), "memory_limit"),
        (ended(exit_code=-signal.SIGKILL, limit="processes"), "process_limit"),
        (ended(exit_code=-signal.SIGKILL, limit="output"), "output_limit"),
        (ended(exit_code=-signal.SIGSEGV), "runtime_error"),
        (ended(exit_code=-63), "runtime_error"),
        (ended(exit_code=1), "runtime_error"),
        (ended(wall_seconds=2.5), "time_limit"),
    ],
)
def test_a_program_that_fails_has_failed_whatever_the_scorer_says(program, kind):
    assert verdict(PERFECT, program=program) == (kind, None)
    assert verdict(PERFECT, program=program, beside=True) == (kind, None)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGPIPE])
def test_a_program_that_its_scorer_ends_has_not_failed_by_itself(number):
    program = ended(exit_code=-number)
    assert verdict(PERFECT, program=program, beside=True) == ("score", 1_000_000.0)
    assert verdict(PERFECT, program=program) == ("runtime_error", None)


@pytest.mark.parametrize("limit", ["memory", "output"])
def test_a_program_that_floods_its_scorer_has_written_too_much(limit):
    flooded = ended(exit_code=-signal.SIGKILL, limit=limit)
    program = ended(exit_code=-signal.SIGPIPE)
    assert verdict(flooded, program=program, beside=True) == ("output_limit", None)


SECONDS = st.floats(0, 100)


@given(cpu=st.floats(0, 1.9), idle=st.floats(0, 0.09), waited=st.floats(1e-6, 100))
def test_however_long_a_program_waits_for_a_core_its_verdict_is_the_same(cpu, idle, waited):
    busy = ended(cpu_seconds=cpu, wall_seconds=cpu + idle + waited, waited_seconds=waited)
    assert verdict(PERFECT, program=busy) == ("score", 1_000_000.0)


@given(cpu=st.floats(0, 1.9), idle=st.floats(2.01, 100), waited=st.floats(1e-6, 100))
def test_a_program_that_sleeps_is_too_late_however_busy_the_machine_is(cpu, idle, waited):
    asleep = ended(cpu_seconds=cpu, wall_seconds=cpu + idle + waited, waited_seconds=waited)
    assert verdict(PERFECT, program=asleep) == ("time_limit", None)


@given(thinking=SECONDS, waited=SECONDS)
def test_a_scorers_thinking_is_not_the_programs_time(thinking, waited):
    scorer = ended(stderr="Score = 3\n", cpu_seconds=thinking, waited_seconds=waited)
    program = ended(cpu_seconds=0.5, wall_seconds=0.6 + thinking + waited, waited_seconds=0.1)
    assert verdict(scorer, program=program, beside=True) == ("score", 3.0)


def test_where_nobody_counts_the_waiting_processor_time_decides():
    program = ended(cpu_seconds=0.5, wall_seconds=9.0, waited_seconds=0.0)
    assert verdict(PERFECT, program=program) == ("score", 1_000_000.0)


@given(said=st.binary(max_size=300), printed=st.binary(max_size=300), code=st.integers(-64, 255))
def test_no_words_of_a_scorer_are_too_strange(said, printed, code):
    result = ended(exit_code=code).model_copy(update={"stderr": said, "stdout": printed})
    run = ProgramRun("0000", ended())
    for scorer in (ON_STDERR, ON_STDOUT, BARE):
        outcome = judge_run(run, result, scorer)
        assert (outcome.kind == "score") == (outcome.score is not None)
        assert len(outcome.message) <= 300
