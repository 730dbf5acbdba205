"""Whom a dead worker is to blame for, by real processes that are killed."""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from evograft.errors import ServiceError
from evograft_cluster.worker.traces import Trace, take_dead

BEGINS = """
import sys, time
from evograft_cluster.worker.traces import Trace
Trace("run-7").begin()
print("begun", flush=True)
time.sleep(600)
"""
STARTS_ONE = f"""
import subprocess, sys
worker = subprocess.Popen([sys.executable, "-c", {BEGINS!r}], stdout=subprocess.PIPE)
worker.stdout.readline()
print(worker.pid, flush=True)
worker.wait()
import time
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield
    tempfile.tempdir = None


@pytest.fixture
def job():
    """A process that has started a worker, which has begun to evaluate; and the worker's number."""
    with subprocess.Popen([sys.executable, "-c", STARTS_ONE], stdout=subprocess.PIPE, start_new_session=True) as parent:
        worker = int(parent.stdout.readline())
        try:
            yield parent, worker
        finally:
            with suppress(ProcessLookupError):
                os.killpg(parent.pid, signal.SIGKILL)


def test_a_worker_that_is_gone_while_its_parent_lives_was_ended_by_the_evaluation(job):
    _, worker = job
    assert not take_dead("run-7")
    end(worker)
    assert take_dead("run-7")
    assert not take_dead("run-7"), "a trace counts once"


def test_nobody_is_to_blame_where_the_whole_job_is_gone(job):
    parent, _ = job
    os.killpg(parent.pid, signal.SIGKILL)
    parent.wait()
    end(job[1])
    assert not take_dead("run-7")


def test_a_trace_is_of_one_evaluation_only(job):
    end(job[1])
    assert not take_dead("run-77")
    assert not take_dead("run-final-7")


def test_an_evaluation_that_ends_leaves_nothing():
    trace = Trace("run-8")
    trace.begin()
    trace.end()
    trace.end()
    assert not take_dead("run-8")


def test_a_folder_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"evograft-traces-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ServiceError, match="belongs to somebody else"):
        Trace("run-9")


def end(process):
    """Kill a process, and return when it is gone."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    while _is_there(process):
        os.sched_yield()


def _is_there(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
