"""Bytes to and from a runner, with a limit to how long one waits for them."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import Protocol

from evograft_hookspecs import SandboxLost

CHUNK = 1 << 16
PATIENCE = 10.0
CLOSED = "it was closed"


class RunnerStream(Protocol):
    """A connection to a runner, which ends when its input does."""

    def send(self, data: bytes) -> None:
        """Send bytes; raise an OSError if nobody takes them."""

    def receive(self, seconds: float) -> bytes:
        """Return some bytes, none at the end; raise TimeoutError if nothing comes within the time."""

    def close(self) -> None:
        """End the runner and everything that it has started; another thread may be receiving."""

    def get_exit_reason(self) -> str:
        """Return why the runner ended, as far as it is known."""


class RunnerChannel:
    """Whole requests out, exactly the wanted number of bytes in."""

    def __init__(self, stream: RunnerStream) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self._deadline = 0.0

    def ask(self, request: bytes, *, seconds: float) -> None:
        """Send a request whose answer must have arrived after these seconds."""
        self._deadline = time.monotonic() + seconds
        try:
            self._stream.send(request)
        except OSError as err:
            raise self._lost() from err

    def read(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                part = self._stream.receive(max(0.0, self._deadline - time.monotonic()))
            except OSError as err:
                raise self._lost() from err
            if not part:
                raise self._lost()
            self._buffer += part
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _lost(self) -> SandboxLost:
        return SandboxLost(f"a sandbox session has ended: {self._stream.get_exit_reason()}")


class RunnerProcess:
    """A runner that is a child of this process."""

    def __init__(self, command: Sequence[str]) -> None:
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - read when the process has ended
        self._process = subprocess.Popen(  # noqa: S603 - the runner, or what it is put into
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            bufsize=0,
            start_new_session=True,
            env={},
        )

        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._receiving = threading.Lock()

    def send(self, data: bytes) -> None:
        if self._input.closed:
            raise BrokenPipeError
        view = memoryview(data)
        while view:
            view = view[self._input.write(view) :]

    def receive(self, seconds: float) -> bytes:
        with self._receiving:
            if self._output.closed:
                return b""
            ready, _, _ = select.select([self._output], [], [], seconds)
            if not ready:
                raise TimeoutError
            return os.read(self._output.fileno(), CHUNK)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._input.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        # The receiver learns of the end before.
        with self._receiving:
            self._output.close()
            self._complaints.close()

    def get_exit_reason(self) -> str:
        """Return the last words of the runner, or of the program that was to start it."""
        with self._receiving:
            if self._input.closed:
                return CLOSED
            try:
                code = self._process.wait(1.0)
            except subprocess.TimeoutExpired:
                return "its runner does not answer"
            self._complaints.seek(0)
            said = self._complaints.read(CHUNK).decode(errors="replace").strip()
            return said.splitlines()[-1] if said else f"its runner ended with exit code {code}"
