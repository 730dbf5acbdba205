"""The caller's side of one worker: starts it, asks it, ends it, and believes nothing it says unchecked."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from evograft.cpu_dispatch import SWITCH, portable_environment
from evograft_hookspecs import SandboxLayer
from evograft_sandbox.functions.channel import ChannelLost, WorkerChannel
from evograft_sandbox.functions.errors import SandboxFailed
from evograft_sandbox.functions.frame import max_frame
from evograft_sandbox.functions.process_cleanup import kill_marked
from evograft_sandbox.functions.report import CandidateReport, read_report
from evograft_sandbox.functions.supervisor import LOOK_SECONDS

FIX_ADDRESSES = """
import ctypes, os, sys
personality = getattr(ctypes.CDLL(None), "personality", None)
if personality:
    personality(0x40000)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a program without random addresses where the kernel lets it, so that a value made of an address is the same in
every worker."""
COMMAND = (
    sys.executable,
    "-P",
    "-S",
    "-c",
    FIX_ADDRESSES,
    sys.executable,
    "-P",
    "-m",
    "evograft_sandbox.functions.fork_server",
)
PASSED_ON = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    SWITCH,
)
"""The environment of a worker, without keys and tokens: the memory of a child still holds what was there at start."""
SINGLE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
MARKER = "EVOGRAFT_SANDBOX_WORKER"
MAX_HELLO = 1_000_000
MAX_REPORT = 4096
GRACE_SECONDS = 30.0
"""How long a worker, which reports while a candidate runs, may be late on a busy machine before it counts as hung."""
EXIT_SECONDS = 2.0


@dataclass(frozen=True)
class Hello:
    """What a worker says once it is ready."""

    layers: tuple[SandboxLayer, ...]
    datasets: Mapping[str, int]
    """How many items each data set has."""
    modules: tuple[str, ...]


@dataclass(frozen=True)
class FunctionWorker:
    """A worker that is ready."""

    process: subprocess.Popen[bytes]
    channel: WorkerChannel
    line: socket.socket
    hello: Hello
    marker: str

    def ask(self, request: Mapping[str, Any], *, items: int) -> CandidateReport:
        """Have a candidate called on a data set of a given number of items.

        Raises:
            ChannelLost: the worker is dead, hung or not to be trusted any more.
        """
        self.channel.send_json(request, deadline=_deadline())
        head = self.channel.receive_json(MAX_REPORT, deadline=_deadline())
        while "running" in head:
            head = self.channel.receive_json(MAX_REPORT, deadline=_deadline())
        return read_report(head, self.channel.receive(max_frame(items), deadline=_deadline()))

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def hang_up(self) -> None:
        """Have the worker kill its candidate and end; an `ask` of another thread returns as well."""
        with contextlib.suppress(OSError):
            self.line.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """Hang up, make sure that no process is left, and close the line, which nobody may be using."""
        self.hang_up()
        self.reap()
        self.line.close()

    def reap(self) -> None:
        """Wait until the worker has ended, but not long, and kill what is left of it."""
        try:
            clean = self.process.wait(EXIT_SECONDS) == 0
        except subprocess.TimeoutExpired:
            clean = False
            self.process.kill()
            self.process.wait()
        if not clean:
            kill_marked(self.marker)


def _deadline() -> float:
    """Return by when the next message must be there."""
    return time.monotonic() + LOOK_SECONDS + GRACE_SECONDS


def start_worker(order: Mapping[str, Any]) -> FunctionWorker:
    """Start a worker and wait until its data is loaded.

    Raises:
        SandboxFailed: it ended before that, with the end of its traceback, or there is no sandbox on this system.
    """
    if not hasattr(os, "fork"):
        raise SandboxFailed(f"the sandbox needs fork, which {sys.platform} does not have")
    marker = secrets.token_hex(16)
    line, other = socket.socketpair()
    with tempfile.TemporaryFile() as errors:
        with other:
            process = _launch(other, errors, marker)
        channel = WorkerChannel(line.fileno())
        try:
            channel.send_json({**order, "path": [str(entry) for entry in sys.path]})
            hello = _read_hello(channel.receive_json(MAX_HELLO))
        except BaseException as err:
            line.close()
            process.kill()
            process.wait()
            kill_marked(marker)
            if not isinstance(err, ChannelLost):
                raise
            raise SandboxFailed(f"the sandbox worker for {order['loader']!r} did not start: {_tail(errors)}") from err
    return FunctionWorker(process, channel, line, hello, marker)


def _launch(line: socket.socket, errors: IO[bytes], marker: str) -> subprocess.Popen[bytes]:
    """Start the program in a session of its own, out of reach of Ctrl-C in the caller's terminal."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    fixed = {**dict.fromkeys(SINGLE_THREAD, "1"), "PYTHONHASHSEED": "0", MARKER: marker}
    return subprocess.Popen(  # noqa: S603 - our own program
        COMMAND,
        stdin=line.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=portable_environment({**passed, **fixed}),
        start_new_session=True,
    )


def _read_hello(message: Mapping[str, Any]) -> Hello:
    layers = tuple(SandboxLayer(name=name, active=active, detail=text) for name, active, text in message["layers"])
    return Hello(layers, message["datasets"], tuple(message["modules"]))


def _tail(errors: IO[bytes]) -> str:
    errors.seek(0)
    return errors.read().decode("utf-8", "replace").strip()[-2000:] or "it ended without a word"
