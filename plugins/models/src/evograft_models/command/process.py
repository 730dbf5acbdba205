"""One run of a program: bounded in time and output, and no process of it is left afterwards."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

MARK = "EVOGRAFT_COMMAND"
"""The environment variable by which processes are found that have left their group."""
CHUNK = 65536
LOOK = 0.1
"""Seconds between two looks at the clock, at the latest: closing ends a process, which is then seen."""


PassedLimit = Literal["", "time", "output"]


@dataclass(frozen=True)
class ProcessResult:
    """How a program ended."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    limit: PassedLimit = ""
    """What ended it, if it did not end by itself."""


class CommandProcess:
    """A program in a session of its own, without a terminal.

    Args:
        arguments: the program and its arguments.
        folder: where it works.
        environment: all that it gets.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        self._mark = uuid.uuid4().hex
        self._ending = threading.Lock()
        self._process = subprocess.Popen(  # noqa: S603 - the user's command
            arguments,
            cwd=folder,
            env={**environment, MARK: self._mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )

    def run(self, text: bytes, *, seconds: float, most_bytes: int) -> ProcessResult:
        """Give the program a text and read what it prints, until it ends or has passed a limit."""
        process = self._process
        assert process.stdout is not None, "it is a pipe"
        assert process.stderr is not None, "it is a pipe"
        outputs = {process.stdout: bytearray(), process.stderr: bytearray()}
        with process:
            try:
                limit = self._exchange(text, outputs, time.monotonic() + seconds, most_bytes)
            finally:
                self.end()
        stdout, stderr = (bytes(each[:most_bytes]) for each in outputs.values())
        return ProcessResult(process.returncode, stdout, stderr, limit)

    def end(self) -> None:
        """End the program and all that it has started. Callable from any thread, more than once."""
        with self._ending:
            if self._process.returncode is None:
                # It has not been waited for, so its number is nobody else's.
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
            for number in _find_marked(self._mark):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)

    def _exchange(
        self, text: bytes, outputs: Mapping[IO[bytes], bytearray], deadline: float, most_bytes: int
    ) -> PassedLimit:
        with selectors.DefaultSelector() as selector:
            assert self._process.stdin is not None, "it is a pipe"
            source = _Input(self._process.stdin, text, selector)
            for pipe in outputs:
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, selectors.EVENT_READ, outputs[pipe])
            while not self._is_over(selector):
                for key, _ in selector.select(LOOK):
                    if key.data is None:
                        source.write()
                    elif not _read_into(key.data, key.fd):
                        selector.unregister(key.fileobj)
                if any(len(each) > most_bytes for each in outputs.values()):
                    return "output"
                if time.monotonic() > deadline:
                    return "time"
        return ""

    def _is_over(self, selector: selectors.BaseSelector) -> bool:
        """Return whether the program has ended and all is read: others that it started may hold the pipes for ever."""
        with self._ending:
            if self._process.returncode is None:
                state = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if state is None:
                    return False
        return not any(key.data is not None for key, _ in selector.select(0))


class _Input:
    """The standard input of a program that need not read it."""

    def __init__(self, pipe: IO[bytes], text: bytes, selector: selectors.BaseSelector) -> None:
        self._pipe = pipe
        self._rest = memoryview(text)
        self._selector = selector
        os.set_blocking(pipe.fileno(), False)
        selector.register(pipe, selectors.EVENT_WRITE)

    def write(self) -> None:
        try:
            self._rest = self._rest[os.write(self._pipe.fileno(), self._rest[:CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._rest = self._rest[:0]
        if not self._rest:
            self._selector.unregister(self._pipe)
            self._pipe.close()


def _read_into(output: bytearray, pipe: int) -> bool:
    """Read what is there; return whether more may come."""
    try:
        chunk = os.read(pipe, CHUNK)
    except BlockingIOError:
        return True
    output += chunk
    return bool(chunk)


def _find_marked(mark: str) -> Iterator[int]:
    """Yield the processes of this user that inherited a mark."""
    needle = f"{MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if needle in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
