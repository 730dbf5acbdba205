"""Runs of the plugin `lab` whose coordinator and workers are on different hosts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dask_cluster import SETTINGS, DaskCluster
from hosts import Host, HostProcess, Network, wait_until

TRIALS = 25
CONNECT_SECONDS = 60
"""On a busy machine the scheduler that a test has just started takes its time."""
HELD = 9
"""A trial in the middle."""


class ClusterRuns:
    """One run, its Dask cluster and what its evaluations leave behind."""

    def __init__(self, runs: Any, network: Network, folder: Path) -> None:
        self.network = network
        self.folder = folder
        self.path = folder / "run"
        self.home = network.add("home")
        self.dask = DaskCluster(folder / "dask", network.add("scheduler"))
        self.hosts: dict[str, Host] = {}
        self.output = folder / "output"
        self._runs = runs
        self._notes = folder / "notes"
        self._notes.mkdir()
        self._gate = folder / "gate"

    def start_workers(self, *names: str, **environment: str) -> None:
        """Start a worker on a host of each name."""
        for name in names:
            self.hosts[name] = self.network.add(name)
            self.dask.start_worker(self.hosts[name], **environment)

    def start(self, executor: dict[str, Any] | None = None, **options: Any) -> HostProcess:
        """Start the run on its own host; the options are the plugin's."""
        return self.evo("run", self.write(executor, **options), "--run-dir", self.path)

    def write(self, executor: dict[str, Any] | None = None, **options: Any) -> Path:
        """Write the pipeline, by which trials are held until `open_gate` as `held_at` says."""
        dask = {"driver": "dask", "address": self.dask.address, "connect_seconds": CONNECT_SECONDS}
        with_ = {"notes": str(self._notes), "held_until": str(self._gate), **options}
        return Path(self._runs.write(trials=TRIALS, window=4, executor=executor or dask, with_=with_))

    def evo(self, *arguments: str | Path, host: Host | None = None) -> HostProcess:
        """Start `evo` on the run's own host, or another; what it prints is appended to `output`."""
        where = host or self.home
        return where.start(sys.executable, "-m", "evograft", *arguments, log=self.output, cwd=self.folder, **SETTINGS)

    def status(self) -> dict[str, Any]:
        done = self.home.run(sys.executable, "-m", "evograft", "status", self.path, "--json")
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def trials(self) -> list[dict[str, Any]]:
        """Return what is logged."""
        found: list[dict[str, Any]] = self._runs.trials(self.path)
        return found

    def ask_scheduler(self, program: str) -> str:
        """Return what a Python program prints that has a `client` of the scheduler."""
        head = f"from distributed import Client\nclient = Client({self.dask.address!r}, set_as_default=False)\n"
        done = self.home.run(sys.executable, "-c", head + program, **SETTINGS)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def open_gate(self) -> None:
        """Let evaluations that are held end."""
        self._gate.touch()

    def hosts_of(self, trial: int) -> list[str]:
        """Return where evaluations of a trial have begun, the last one last."""
        notes = sorted(self._notes.glob(f"{trial}-*"), key=lambda path: path.stat().st_mtime_ns)
        return [path.name.split("-", 3)[3] for path in notes]

    def wait_for(self, trial: int, *, times: int = 1) -> Host:
        """Wait until an evaluation of a trial has begun so many times; return where the last one did."""
        wait_until(lambda: len(self.hosts_of(trial)) >= times)
        return self.hosts[self.hosts_of(trial)[-1]]

    def require_finished(self, process: HostProcess, **undisturbed: Any) -> None:
        """Wait for the end of the run, and compare it with one on one machine that nothing happened to.

        Args:
            process: the coordinator.
            undisturbed: the plugin's options of the other run.
        """
        assert process.wait() == 0, self.output.read_text()
        assert "Traceback" not in self.output.read_text()
        executor = {"driver": "processes", "workers": 2}
        other = self._runs.run("undisturbed", trials=TRIALS, window=4, executor=executor, with_=undisturbed)
        assert self._runs.trials(self.path) == self._runs.trials(other)


def is_evaluating(host: Host) -> bool:
    """Return whether a host has a process that evaluates, or is ready to."""
    return any(b"run_worker" in read_command(pid) for pid in host.find_pids())


def read_command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has just ended
        return b""
