"""What programs read as the time: their own processor time where cases run in parallel or the machine is busy."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from evograft_ahc.judging.clock import wants_cpu_clock
from evograft_ahc.judging.core_share import ENOUGH, measure_core_share
from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.text.messages import ContestServiceError

SECONDS = 0.2
RIVALS = 5
WATCHES = f"""#include <chrono>
#include <iostream>
int main() {{
    auto begin = std::chrono::steady_clock::now();
    std::string word;
    std::cin >> word;
    std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    double steps = 0;
    unsigned state = 1;
    begin = std::chrono::steady_clock::now();
    for (; std::chrono::steady_clock::now() - begin < std::chrono::duration<double>({SECONDS}); steps++)
        for (int i = 0; i < 1000; i++) state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    std::cerr << "waited=" << waited.count() << " steps=" << steps << " state=" << state << std::endl;
    std::cout << word << std::endl;
}}
"""
AUTO = JudgeSettings(parallel=2, case_seconds=20.0, clock="auto")
STATIC = ("-std=gnu++20", "-O2", "-static")
SEES_NONE = """#!/bin/sh
read answer < "$2"
[ -z "$LD_PRELOAD" ] && [ "$answer" = fine ] && echo "Score = 7" >&2
"""
SLEEPS = """#!/bin/sh
read word
(sleep 0.6; echo "$word") | ./candidate > out
[ -z "$LD_PRELOAD" ] && echo "Score = 7" >&2
"""


@pytest.fixture
def one_core() -> Iterator[None]:
    """All that a test starts is on the same core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    yield
    os.sched_setaffinity(0, cores)


@contextlib.contextmanager
def busy_core() -> Iterator[None]:
    """Have others on the same core that never rest."""
    spin = [sys.executable, "-c", "while True: pass"]
    rivals = [subprocess.Popen(spin, start_new_session=True) for _ in range(RIVALS)]
    try:
        yield
    finally:
        for rival in rivals:
            rival.kill()
            rival.wait()


@pytest.mark.usefixtures("one_core")
def test_a_program_on_a_busy_core_does_as_much_in_its_time_as_its_processor_time_allows(contest, judge_of):
    judge = judge_of(contest("fine", seconds=5.0), settings=AUTO)
    program = judge.compile(WATCHES)
    with busy_core():
        (by_cpu,) = judge.run(program, ["0000"], clock=judge.clock_choice.clock)
        (by_wall,) = judge.run(program, ["0000"], clock="wall")
    assert (by_cpu.kind, by_wall.kind) == ("score", "score")
    assert by_cpu.cpu_seconds >= 0.95 * SECONDS
    assert by_wall.cpu_seconds < SECONDS
    share = measure_core_share([by_cpu, by_wall])
    assert share is None or 0 < share < ENOUGH  # `None`: the kernel does not count what they wait
    assert by_cpu.values["steps"] > by_wall.values["steps"]


@pytest.mark.parametrize("interactive", [False, True], ids=["ordinary", "interactive"])
def test_the_contests_own_program_never_has_it_and_waiting_for_that_takes_no_time(contest, judge_of, interactive):
    workspace = contest("fine", interactive=interactive, scorer=SLEEPS if interactive else SEES_NONE, seconds=5.0)
    judge = judge_of(workspace, settings=AUTO)
    (outcome,) = judge.run(judge.compile(WATCHES), ["0000"], clock="cpu")
    assert (outcome.kind, outcome.score) == ("score", 7.0)
    assert outcome.values["waited"] < 0.5


def test_a_program_that_sleeps_past_its_limit_is_late_by_either_clock(contest, judge_of, faulty):
    judge = judge_of(contest("sleep"))
    assert {next(judge.run(faulty(judge), ["0000"], clock=clock)).kind for clock in ("wall", "cpu")} == {"time_limit"}


def test_programs_that_take_no_clock_from_a_library_keep_that_of_the_machine_and_the_judge_says_why(contest, judge_of):
    workspace = contest("fine")
    judge = judge_of(workspace, settings=AUTO.model_copy(update={"flags": STATIC}))
    assert judge.clock_choice.clock == "wall"
    assert "do less when they wait for a core: programs do not take their clock from a library" in judge.check()[-1]
    with pytest.raises(ContestServiceError, match=r"judge clock 'cpu': .*-static"):
        judge_of(workspace, settings=AUTO.model_copy(update={"flags": STATIC, "clock": "cpu"}))


def test_it_is_taken_where_cases_run_in_parallel_or_the_machine_is_busy(monkeypatch):
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    assert [wants_cpu_clock("auto", parallel) for parallel in (1, 2)] == [False, True]
    assert [wants_cpu_clock(setting, 1) for setting in ("wall", "cpu")] == [False, True]
    monkeypatch.setattr(os, "getloadavg", lambda: (1000.0, 0.0, 0.0))
    assert wants_cpu_clock("auto", 1)
