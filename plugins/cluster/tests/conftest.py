"""A Dask cluster on this machine, of real processes."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("distributed")


@pytest.fixture
def scheduler_file(tmp_path) -> Path:
    """What the scheduler of `dask_address` writes."""
    return tmp_path / "scheduler.json"


@pytest.fixture
def dask_address(lab, tmp_path, scheduler_file, monkeypatch) -> Iterator[str]:
    """The address of a scheduler with two workers of one thread each, which find the plugin `lab`."""
    from distributed import Client

    (tmp_path / "temporary").mkdir()  # what other tests reserve is not in the way
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))

    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    options = {"cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = (sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port))
    scheduler += ("--scheduler-file", str(scheduler_file))
    workers = (sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--nworkers", "2")
    started = [
        subprocess.Popen([*command, "--no-dashboard"], **options)
        for command in (scheduler, (*workers, "--host", "127.0.0.1"))
    ]
    try:
        with Client(address, timeout=120, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
        for process in reversed(started):
            process.wait(60)
