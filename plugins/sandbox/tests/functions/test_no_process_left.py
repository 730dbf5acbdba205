"""However a caller ends, its workers and their candidates end as well."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from evograft_sandbox.functions import FunctionLimits, PythonSandbox, SandboxFailed

LOADER = f"{Path(__file__).with_name('loader_numbers.py')}:load"
CALLER = """
import sys
from evograft_sandbox.functions import FunctionLimits, PythonSandbox
sandbox = PythonSandbox(sys.argv[1], limits=FunctionLimits(cpu_seconds=900.0, wall_seconds=900.0))
(worker,) = sandbox._crew._free
print(worker.process.pid, flush=True)
{rest}
"""
ENDLESS = "def f(x):\n    while True:\n        pass\n"
PATIENCE = 120


def wait_until_gone(processes) -> None:
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    assert alive == []


def wait_for_a_child(pid: int) -> psutil.Process:
    while True:
        children = psutil.Process(pid).children()
        if children:
            return children[0]


def start_caller(rest: str, loader: str = LOADER) -> tuple[subprocess.Popen[str], int]:
    command = [sys.executable, "-c", CALLER.format(rest=rest), loader]
    caller = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return caller, int(caller.stdout.readline())


def test_a_caller_that_is_killed_takes_the_running_candidate_with_it():
    caller, worker = start_caller(f"sandbox.run({ENDLESS!r}, function='f', dataset='numbers')")
    with caller:
        processes = [psutil.Process(worker), wait_for_a_child(worker)]
        caller.kill()
        wait_until_gone(processes)


def test_a_caller_that_is_killed_while_a_worker_loads_leaves_nothing():
    code = f"from evograft_sandbox.functions import PythonSandbox; PythonSandbox({LOADER + '_never'!r})"
    with subprocess.Popen([sys.executable, "-c", code]) as caller:
        worker = wait_for_a_child(caller.pid)
        while "fork_server" not in " ".join(worker.cmdline()) or worker.cpu_times().user < 0.5:
            assert worker.is_running()
        caller.kill()
        wait_until_gone([worker])


def test_a_forked_copy_of_the_caller_does_not_keep_a_worker_alive():
    caller, worker = start_caller("import os, time\npid = os.fork()\npid and print(pid, flush=True)\ntime.sleep(900)")
    with caller:
        copy = int(caller.stdout.readline())
        processes = [psutil.Process(worker)]
        caller.kill()
        wait_until_gone(processes)
        os.kill(copy, signal.SIGKILL)


@pytest.mark.long
@pytest.mark.parametrize(
    "rest", ["", "sys.exit(3)", "raise ValueError", "del sandbox", "import os; os.fork() or sys.exit()"]
)
def test_a_caller_that_forgets_to_close_leaves_nothing(rest):
    caller, worker = start_caller(f"input()\n{rest}")
    with caller:
        processes = [psutil.Process(worker)]
        caller.stdin.write("go on\n")
        caller.stdin.close()
        wait_until_gone(processes)


@pytest.mark.long
def test_a_sandbox_that_nobody_holds_is_closed():
    sandbox = PythonSandbox(LOADER)
    (worker,) = sandbox._crew._free
    del sandbox
    gc.collect()
    assert worker.process.returncode == 0


def test_close_ends_what_runs_and_the_run_returns():
    sandbox = PythonSandbox(LOADER, limits=FunctionLimits(cpu_seconds=900.0, wall_seconds=900.0))
    (worker,) = sandbox._crew._free
    with ThreadPoolExecutor() as pool:
        running = pool.submit(sandbox.run, ENDLESS, function="f", dataset="numbers")
        candidate = wait_for_a_child(worker.process.pid)
        sandbox.close()
        with pytest.raises(SandboxFailed, match="closed"):
            running.result(PATIENCE)
    assert worker.process.returncode == 0
    wait_until_gone([candidate])
    with pytest.raises(SandboxFailed, match="closed"):
        sandbox.run("def f(x):\n    return x", function="f", dataset="numbers")
    sandbox.close()


def test_a_worker_that_died_while_idle_is_no_candidates_fault():
    with PythonSandbox(LOADER) as sandbox:
        (worker,) = sandbox._crew._free
        worker.process.kill()
        worker.process.wait()
        result = sandbox.run("def f(x):\n    return x", function="f", dataset="numbers")
    assert list(result.values) == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_loader_that_fails_leaves_nothing():
    before = {child.pid for child in psutil.Process().children()}
    with pytest.raises(SandboxFailed):
        PythonSandbox(LOADER.replace(":load", ":fail"))
    assert {child.pid for child in psutil.Process().children()} == before
