"""Python processes, and `evo` in them, that have nothing to import: a fork server of this process has done that.

They are processes like any other: with descriptors, a folder, an environment and, if wanted, a session of their own;
they are signalled, killed and waited for by id. What an interpreter takes from its environment when it starts is that of
the fork server: where a test changes it, and where the start is what is tested, a new interpreter is started.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fork_server import NUMBER

READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "GLIBC_", "OPENBLAS_", "OMP_", "NPY_", "EVO_CPU_", "TZ")
"""How variables begin that interpreters and libraries read once."""
FORKED = frozenset(
    {"stdin", "stdout", "stderr", "cwd", "env", "text", "encoding", "errors", "bufsize", "start_new_session"}
)
"""The options of `Popen` that a forked process can have."""
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
"""As it was before any test: whichever test is the first to need a process may have changed it for itself."""


class _Server:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._read_at_start = _read_at_start(environment)
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("fork_server.py"), str(theirs.fileno())],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def suits(self, environment: Mapping[str, str]) -> bool:
        return _read_at_start(environment) == self._read_at_start

    def fork(self, streams: list[int], request: dict[str, Any]) -> socket.socket:
        """The connection to which the server will write the process's id, and later its status."""
        connection, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [b"1"], [*streams, theirs.fileno()])
        connection.sendall(json.dumps(request).encode() + b"\n")
        return connection

    def close(self) -> None:
        self._control.close()
        self._process.wait()


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in environment.items() if name.startswith(READ_AT_START) and name != "PYTHONPATH"
    }


@functools.cache
def _server() -> _Server:
    server = _Server(ENVIRONMENT)
    atexit.register(server.close)
    return server


class PythonProcess(subprocess.Popen[Any]):
    """`python` with arguments: `-m`, `-c` or a script first. The options are those of `Popen`."""

    def __init__(self, *arguments: str | Path, **options: Any) -> None:
        self._connection: socket.socket | None = None
        """To the fork server, of a process that it has forked."""
        environment = options.get("env") or os.environ
        self._is_forked = not options.keys() - FORKED and _server().suits(environment)
        super().__init__([sys.executable, *map(str, arguments)], **options)

    def _execute_child(  # noqa: PLR0917 - subprocess's own
        self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell,
        p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, restore_signals, gid, gids, uid, umask,
        start_new_session, process_group,
    ):  # fmt: skip
        """Start it; the rest of `Popen` deals with its pipes."""
        if not self._is_forked:
            super()._execute_child(
                args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell,
                p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, restore_signals, gid, gids, uid, umask,
                start_new_session, process_group,
            )  # fmt: skip
            return
        streams = [own if theirs == -1 else theirs for own, theirs in enumerate((p2cread, c2pwrite, errwrite))]
        self._connection = _server().fork(
            streams,
            {
                "arguments": args[1:],
                "folder": str(Path(cwd or ".").absolute()),
                "environment": dict(os.environ if env is None else env),
                "start_new_session": start_new_session,
                "ignored": [each for each in signal.valid_signals() if signal.getsignal(each) == signal.SIG_IGN],
            },
        )
        self.pid = self._number()
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)

    def _number(self) -> int:
        assert self._connection is not None
        (number,) = NUMBER.unpack(self._connection.recv(NUMBER.size, socket.MSG_WAITALL))
        return int(number)

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if self._connection is None:
            return super()._try_wait(wait_flags)
        if wait_flags & os.WNOHANG and not self._has_ended():
            return 0, 0
        status = self._number()
        self._connection.close()
        return self.pid, status

    def _has_ended(self) -> bool:
        assert self._connection is not None
        try:
            self._connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        return True

    def _internal_poll(self, *given: Any, **named: Any) -> int | None:
        if self._connection is None:
            return super()._internal_poll(*given, **named)
        if self.returncode is None and self._waitpid_lock.acquire(blocking=False):
            try:
                if self.returncode is None and (status := self._try_wait(os.WNOHANG))[0]:
                    self._handle_exitstatus(status[1])
            finally:
                self._waitpid_lock.release()
        return self.returncode


def run_python(
    *arguments: str | Path,
    input: Any = None,  # noqa: A002 - as subprocess calls it
    timeout: float = 300,
    **options: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a `PythonProcess` to its end; what it prints is captured, as text unless `text` is false."""
    options = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with PythonProcess(*arguments, **options) as process:
        try:
            out, err = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def run_evo(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run `evo` like `run_python`."""
    return run_python("-m", "evograft", *arguments, **options)
