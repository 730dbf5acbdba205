"""Limits on a machine whose cores others want too: what becomes of a candidate does not depend on them."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack

import pytest

from evograft_sandbox.functions import FunctionLimits, PythonSandbox

SPINNERS = 4
"""On the one core that the sandbox has here: the others do not have to be busy for it."""
LIMITS = FunctionLimits(cpu_seconds=0.6, wall_seconds=0.7)
HALF_THE_LIMIT = """
def f(x):
    while time.process_time() < 0.06 * x:
        pass
    return x
"""
SPINNING = "def f(x):\n    while True:\n        pass"
DEAF = "def f(x):\n    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n    while True:\n        pass"
OUT_OF_CPU = "time-out: more than 0.6 s of CPU time over the data set; make the function cheaper"


@pytest.fixture(scope="module")
def sandbox(make_sandbox, busy_core) -> PythonSandbox:
    return make_sandbox(arguments={"modules": ["signal", "time"]}, check=False, limits=LIMITS)


@pytest.fixture(scope="module")
def busy_core():
    """Each in a session of its own, since schedulers share cores among sessions first."""
    cores = os.sched_getaffinity(0)
    with ExitStack() as stack:
        stack.callback(os.sched_setaffinity, 0, cores)
        os.sched_setaffinity(0, {min(cores)})
        for _ in range(SPINNERS):
            spinner = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
            stack.enter_context(spinner)
            stack.callback(spinner.kill)
        yield


def test_what_needs_half_its_cpu_time_is_accepted_every_time(sandbox):
    results = [sandbox.run(HALF_THE_LIMIT, function="f", dataset="numbers") for _ in range(3)]
    assert [result.error for result in results] == [""] * 3
    assert {tuple(result.values) for result in results} == {(1.0, 2.0, 3.0, 4.0, 5.0)}


@pytest.mark.long
@pytest.mark.parametrize("source", [SPINNING, DEAF])
def test_what_never_stops_computing_is_out_of_cpu_time_every_time(sandbox, source):
    results = [sandbox.run(source, function="f", dataset="numbers") for _ in range(2)]
    assert [result.error for result in results] == [OUT_OF_CPU] * 2


def test_what_sleeps_is_out_of_wall_time(sandbox):
    result = sandbox.run("def f(x):\n    time.sleep(1000)", function="f", dataset="numbers")
    assert result.error == "time-out: more than 0.7 s of wall time over the data set"
