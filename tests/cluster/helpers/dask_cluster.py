"""A Dask cluster of real processes on the hosts of a network, with timeouts short enough for tests."""

from __future__ import annotations

import sys
from pathlib import Path

from hosts import Host, HostProcess, wait_until

PORT = 8786
SETTINGS = {
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s",  # Dask takes no less
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "20s",
}
"""What takes 30 seconds to minutes by default."""


class DaskCluster:
    """A scheduler and its workers."""

    def __init__(self, folder: Path, scheduler_host: Host) -> None:
        folder.mkdir()
        self.address = f"tcp://{scheduler_host.address}:{PORT}"
        self.scheduler_log = folder / "scheduler.log"
        self._folder = folder
        self._scheduler_host = scheduler_host
        self._workers = 0
        self._security: tuple[str, ...] = ()

    def use_tls(self, authority: Path, certificate: Path, key: Path) -> None:
        """Let scheduler and workers talk to whoever has a certificate of an authority."""
        self.address = self.address.replace("tcp://", "tls://")
        files = (("--tls-ca-file", authority), ("--tls-cert", certificate), ("--tls-key", key))
        self._security = tuple(str(word) for each in files for word in each)

    def start_scheduler(self) -> HostProcess:
        """Start a scheduler that knows nothing; workers and clients wait for it."""
        return self._scheduler_host.start(
            *(sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--no-jupyter"),
            *("--host", self.address.rpartition(":")[0], "--port", str(PORT)),
            *self._security,
            log=self.scheduler_log,
            cwd=self._folder,
            **SETTINGS,
        )

    def start_worker(self, host: Host, *options: str, **environment: str) -> HostProcess:
        """Start a worker with one thread and a nanny."""
        self._workers += 1
        name = f"{host.name}-{self._workers}"
        return host.start(
            *(sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--no-dashboard"),
            *("--nthreads", "1", "--name", name, "--host", host.address, *self._security),
            *("--local-directory", self._folder / name, *options),
            log=self._folder / f"{name}.log",
            cwd=self._folder,
            **{**SETTINGS, **environment},
        )

    def wait_for_workers(self, number: int) -> None:
        """Wait until so many workers have come, those that have gone included."""
        wait_until(lambda: self.count("Register worker") >= number)

    def count(self, words: str) -> int:
        """Return how often the schedulers have said something."""
        return self.scheduler_log.read_text(errors="replace").count(words) if self.scheduler_log.exists() else 0
