"""One command in bubblewrap, from its start until the last of its processes is dead."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import select
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO

from evograft_env_setup.sandbox.output import Output
from evograft_env_setup.sandbox.setup_sandbox import TIMED_OUT, CommandOutcome, SetupSandboxUnavailable

CHUNK = 1 << 20
"""As much as a pipe holds at most, so that one read empties it."""


def run_in_bwrap(
    command: Sequence[str],
    *,
    variables: Mapping[str, str],
    timeout: float,
    on_output: Callable[[str], None] | None = None,
    on_error: Callable[[str], None] | None = None,
) -> CommandOutcome:
    """Run a command to its end or its time limit; all that it has started is dead when this returns or raises.

    Args:
        command: bubblewrap, with arguments that give it process numbers of its own, and what runs inside.
        variables: all that there are inside. They are not arguments, because everybody on a machine can read those.
        timeout: seconds.
        on_output: is told each piece of standard output as it comes, and of standard error if there is no `on_error`.
        on_error: is told each piece of standard error.

    Raises:
        SetupSandboxUnavailable: the layers can't be made, or somebody has ended them.
    """
    began = time.monotonic()
    with _start(command, variables) as (process, reports):
        stdout, stderr = _Ear(process.stdout, on_output), _Ear(process.stderr, on_error or on_output)
        with _first_inside(process, reports) as first:
            in_time = first is None or _follow(first, (stdout, stderr), until=began + timeout)
        stdout.hear_rest()
        stderr.hear_rest()
        # Bubblewrap has an exit code to report only of a command that it could start.
        has_run = b"exit-code" in reports.read()
    outcome = CommandOutcome(
        exit_code=process.returncode if in_time else TIMED_OUT,
        stdout=stdout.output.text(),
        stderr=stderr.output.text(),
        seconds=time.monotonic() - began,
    )
    if in_time and not has_run:
        last = outcome.stderr.strip().rpartition("\n")[2]
        raise SetupSandboxUnavailable(last or f"bubblewrap ended with exit code {outcome.exit_code}")
    return outcome


@contextlib.contextmanager
def _start(command: Sequence[str], variables: Mapping[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Bubblewrap, and what it reports of the processes inside."""
    bwrap, *arguments = command
    readable, writable = os.pipe()
    with os.fdopen(readable, "rb") as reports:
        try:
            process = subprocess.Popen(  # noqa: S603 - commands are what this is for, and here are the layers
                [bwrap, "--json-status-fd", str(writable), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[writable],
                env=dict(variables),
                start_new_session=True,  # Ctrl-C is for us: we end it
            )
        finally:
            os.close(writable)
        with process:
            yield process, reports


@contextlib.contextmanager
def _first_inside(process: subprocess.Popen[bytes], reports: IO[bytes]) -> Iterator[int | None]:
    """Yield process 1 of those inside, whose end comes after that of all others; it is awaited at the exit.

    It is a descriptor, which can't come to mean another process as a number can. None: it has ended, or never began.
    """
    with contextlib.ExitStack() as stack:
        stack.callback(_kill, process)
        first = _find_first(reports)
        if first is not None:
            stack.callback(os.close, first)
            stack.callback(select.select, [first], [], [])
            stack.callback(_end, process, first)
        yield first


def _find_first(reports: IO[bytes]) -> int | None:
    line = reports.readline()
    try:
        return os.pidfd_open(json.loads(line)["child-pid"]) if line else None
    except ProcessLookupError:
        return None


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _end(process: subprocess.Popen[bytes], first: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(first, signal.SIGKILL)
    process.wait()


def _follow(first: int, ears: Sequence[_Ear], *, until: float) -> bool:
    """Listen until the processes end; return False if time is up before.

    They may end later than their output.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(first, selectors.EVENT_READ)
        for ear in ears:
            selector.register(ear, selectors.EVENT_READ, ear)
        while (left := until - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if key.data is None:
                    return True
                if not key.data.hear():
                    selector.unregister(key.fileobj)
    return False


class _Ear:
    """A reader of one stream."""

    def __init__(self, stream: IO[bytes] | None, tell: Callable[[str], None] | None) -> None:
        assert stream is not None
        self._stream = stream
        self._tell = tell
        # A piece may end in the middle of a character.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.output = Output()

    def fileno(self) -> int:
        return self._stream.fileno()

    def hear(self) -> bool:
        """Take in the next piece; return False at the end."""
        piece = os.read(self.fileno(), CHUNK)
        self.output.add(piece)
        text = self._decoder.decode(piece)
        if self._tell and text:
            self._tell(text)
        return bool(piece)

    def hear_rest(self) -> None:
        """Take in what is left of a command that has ended; somebody outside may still hold the stream open."""
        os.set_blocking(self.fileno(), False)
        with contextlib.suppress(BlockingIOError):
            self.hear()
