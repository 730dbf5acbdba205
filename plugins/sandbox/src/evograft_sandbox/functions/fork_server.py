"""The worker program: holds a plugin's data, and forks one locked-down child per candidate.

Run as `python -P -m evograft_sandbox.functions.fork_server` with a socket to the caller as its stdin. It has one thread
and never runs candidate code itself, so that every child starts from the same state.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import sys
from dataclasses import dataclass
from typing import Any

from evograft_sandbox.functions.channel import ChannelLost, WorkerChannel
from evograft_sandbox.functions.child import CandidateJob, run_candidate
from evograft_sandbox.functions.frame import max_frame
from evograft_sandbox.functions.lockdown import DESCRIPTORS, Lockdown, prepare_lockdown
from evograft_sandbox.functions.preload import Preload, load_preload
from evograft_sandbox.functions.rlimits import Rlimits
from evograft_sandbox.functions.supervisor import Orphaned, run_child

MAX_MESSAGE = 16_000_000
FIRST_PRIVATE_FD = 10
"""Above the descriptors that a child sets up for itself."""


@dataclass(frozen=True)
class FunctionServer:
    """A worker that is ready for candidates."""

    channel: WorkerChannel
    preload: Preload
    lockdown: Lockdown
    wall_seconds: float
    null_fd: int

    def serve(self) -> None:
        """Answer requests until the caller hangs up or dies."""
        while True:
            request = self.channel.receive_json(MAX_MESSAGE)
            self._answer(CandidateJob(**{**request, "token": bytes.fromhex(request["token"])}))

    def _answer(self, job: CandidateJob) -> None:
        outcome = run_child(
            lambda result_fd: run_candidate(
                job, self.preload, self.lockdown, result_fd=result_fd, null_fd=self.null_fd
            ),
            wall_seconds=self.wall_seconds,
            max_bytes=max_frame(len(self.preload.datasets[job.dataset])),
            hangup_fds=(self.channel.fd, *self.channel.watch),
            still_running=lambda: self.channel.send_json({"running": True}),
        )
        self.channel.send_json({"ending": outcome.ending, "status": outcome.status, "cpu_seconds": outcome.cpu_seconds})
        self.channel.send(outcome.written)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _lower_descriptor_limit()
    channel = _take_over_stdin()
    try:
        order = channel.receive_json(MAX_MESSAGE)
        server = _prepare(channel, order)
        server.serve()
    except (ChannelLost, Orphaned):
        # Nobody is there to be told. No finalizer of the plugin's data is worth waiting for.
        os._exit(0)


def _prepare(channel: WorkerChannel, order: dict[str, Any]) -> FunctionServer:
    sys.path[:] = order["path"]
    preload = _load(channel, order)
    null_fd = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_fd, 2)
    os.environ.clear()
    limits = Rlimits(order["cpu_seconds"], order["memory_mb"])
    lockdown = prepare_lockdown(limits, order["layers"])
    channel.send_json(
        {
            "layers": lockdown.report(),
            "datasets": {name: len(items) for name, items in preload.datasets.items()},
            "modules": sorted(preload.modules),
        }
    )
    return FunctionServer(channel, preload, lockdown, order["wall_seconds"], _move_high(null_fd))


def _load(channel: WorkerChannel, order: dict[str, Any]) -> Preload:
    """Load the plugin's data.

    The default action of SIGIO ends this process if the caller hangs up meanwhile.
    """
    flags = fcntl.fcntl(channel.fd, fcntl.F_GETFL)
    fcntl.fcntl(channel.fd, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(channel.fd, fcntl.F_SETFL, flags | os.O_ASYNC)
    preload = load_preload(order["loader"], order["arguments"])
    fcntl.fcntl(channel.fd, fcntl.F_SETFL, flags)
    return preload


def _take_over_stdin() -> WorkerChannel:
    """Keep the socket as a private descriptor: a loader that reads stdin must not swallow messages."""
    fd = _move_high(0)
    null_fd = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_fd, 0)
    os.close(null_fd)
    return WorkerChannel(fd, watch=_open_caller_fd())


def _open_caller_fd() -> tuple[int, ...]:
    """Open a descriptor that becomes readable when the caller ends.

    It does so even if a process that the caller forked holds the pipe open.
    """
    try:
        fd = os.pidfd_open(os.getppid())
    except (OSError, AttributeError):
        return ()
    return (_move_high(fd),)


def _move_high(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, FIRST_PRIVATE_FD)


def _lower_descriptor_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft > DESCRIPTORS:
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, hard))


if __name__ == "__main__":
    main()
