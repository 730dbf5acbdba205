"""What evaluations elsewhere cost the coordinator, and how busy it keeps workers: `make bench-scale`.

Each figure comes from a process of its own. CPU is user and system time of the coordinator alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SITE = Path(__file__).parent / "site"
PYTHON = [sys.executable, "-m"]


def main() -> None:
    os.environ["PYTHONPATH"] = os.pathsep.join([str(SITE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for window, spread in ((1000, 0.0), (1000, 0.5), (2000, 0.5)):
            report_simulated(folder / f"simulated-{window}-{spread}", window=window, spread=spread)
        report_dask(folder)
        report_two_workers(folder)


def report_simulated(folder: Path, *, window: int, spread: float, workers: int = 1000, trials: int = 8000) -> None:
    folder.mkdir()
    report = folder / "timers.json"
    with_ = {"workers": workers, "seconds": 10.0, "spread": spread, "report": str(report)}
    executor = {"driver": "futures", "factory": "timers:Timers", "with": with_, "workers": workers}
    found = measured(folder / "run", executor, trials=trials, window=window)
    timers = json.loads(report.read_text())
    cpu = (found["cpu"] - timers["cpu"]) / trials * 1000
    print(f"{workers:,} simulated workers, evaluations of 10 s ± {spread:.0%}, window {window:,}:")
    print(f"  {timers['busy']:.1%} busy, {cpu:.2f} ms CPU a trial, {found['bytes'] / trials:.0f} bytes of log a trial")


def report_dask(folder: Path, *, trials: int = 2000) -> None:
    with dask_workers(folder, 2) as address:
        found = measured(folder / "dask", {"driver": "dask", "address": address}, trials=trials, window=64)
    print(f"Dask: {found['cpu'] / trials * 1000:.2f} ms CPU a trial, {trials / found['wall']:.0f} trials a second")


def report_two_workers(folder: Path, *, trials: int = 150) -> None:
    rates = []
    for count in (1, 2):
        place = folder / f"workers-{count}"
        notes = place / "notes"
        notes.mkdir(parents=True)
        with dask_workers(place, count) as address:
            with_ = {"seconds": 0.2, "notes": str(notes)}
            measured(place / "run", {"driver": "dask", "address": address}, trials=trials, window=8, with_=with_)
        begun = sorted(float(line) for path in notes.iterdir() for line in path.read_text().split())
        # Without the first ones, before which the workers set up their plugins.
        rates.append((len(begun) - 11) / (begun[-1] - begun[10]))
    print(
        f"evaluations of 0.2 s: {rates[0]:.2f} a second with one worker, {rates[1] / rates[0]:.2f} times that with two"
    )


@contextmanager
def dask_workers(folder: Path, count: int) -> Iterator[str]:
    """A scheduler and workers in processes of their own; the address of the scheduler."""
    file = folder / "scheduler.json"
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    scheduler = [*PYTHON, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1"]
    worker = [*PYTHON, "distributed.cli.dask_worker", "--no-dashboard", "--nthreads", "1", "--no-nanny"]
    processes = [subprocess.Popen([*scheduler, "--scheduler-file", str(file)], **options)]
    try:
        while not file.exists():
            time.sleep(0.1)
        processes += [subprocess.Popen([*worker, "--scheduler-file", str(file)], **options) for _ in range(count)]
        address = json.loads(file.read_text())["address"]
        wait_for_workers(address, count)
        yield address
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(count)


def measured(
    folder: Path, executor: dict[str, Any], *, trials: int, window: int, with_: dict[str, Any] | None = None
) -> dict[str, Any]:
    pipeline = {
        "plugins": [{"name": "nap", "with": with_ or {}}],
        "executor": executor,
        "budget": {"trials": trials},
        "window": window,
    }
    command = [sys.executable, __file__, json.dumps(pipeline), str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def coordinate(pipeline: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Carry out a run in this process; return what it took."""
    from evograft.config.loading import pipeline_from
    from evograft.session.session import open_session
    from evograft.session.start import start_run

    run = start_run(pipeline_from(pipeline, source="benchmark"), runs=folder.parent, folder=folder)
    with open_session(run) as kernel:
        cpu, wall = time.process_time(), time.monotonic()
        kernel.run()
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    return {"cpu": cpu, "wall": wall, "bytes": sum(path.stat().st_size for path in folder.glob("*.sqlite"))}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(coordinate(json.loads(sys.argv[1]), Path(sys.argv[2]))))
    else:
        main()
