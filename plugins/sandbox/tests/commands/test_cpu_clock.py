"""The clock of processor time: a program's clocks go on while it computes or sleeps, and not while it waits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from evograft_sandbox.commands.native_cache import load_cpu_clock

PAUSE = 0.03
"""Seconds of each step of `clocks.c`."""
CLOCKS = {"monotonic", "realtime", "raw", "coarse", "day", "utc"}
SLEEPS = {"nanosleep", "usleep", "poll", "ppoll", "select", "epoll", "until"}


@pytest.fixture(scope="module")
def clocks(tmp_path_factory) -> bytes:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    built = tmp_path_factory.mktemp("clocks") / "clocks"
    subprocess.run(["cc", "-O1", Path(__file__).with_name("clocks.c"), "-o", built], check=True)
    return built.read_bytes()


@pytest.fixture
def steps(session, run, clocks):
    """How far clocks went in each step of the program."""

    def run_steps(**environment) -> dict[str, float]:
        session.write({"bin/clocks": clocks, "bin/cpu-clock": load_cpu_clock()})
        inputs = {"clocks": "bin/clocks", "cpu-clock": "bin/cpu-clock"}
        done = run("./clocks", inputs=inputs, environment=environment)
        assert (done.exit_code, done.stderr) == (0, b"")
        return {name: float(value) for name, value in (line.split() for line in done.stdout.decode().splitlines())}

    return run_steps


def test_without_it_all_clocks_go_on_while_a_program_waits(steps):
    found = steps()
    assert {name for name in CLOCKS - {"coarse"} if found[name] >= PAUSE} == CLOCKS - {"coarse"}


def test_with_it_only_computing_and_sleeping_take_time(steps):
    found = steps(LD_PRELOAD="./cpu-clock")
    assert {name for name in CLOCKS if 0 <= found[name] < PAUSE} == CLOCKS
    assert {name for name in (*SLEEPS, "computing") if found[name] >= 0.99 * PAUSE} == {*SLEEPS, "computing"}
    assert found["today"] == 1
