"""The process that `python_process.py` asks for Python processes: it has imported what they need, and forks them."""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import json
import os
import runpy
import selectors
import signal
import socket
import struct
import sys
import tempfile
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

NUMBER = struct.Struct("i")
"""What a requester gets: first the process's id, then its status as `os.waitpid` returns it."""
STDERR = 2
LATER = ("multiprocessing.spawn", "networkx", "numpy")
"""What hooks import when they are called."""


def preload() -> None:
    """Import all commands, plugins and drivers of this environment."""
    from evograft.cli import COMMANDS

    for place, _ in COMMANDS.values():
        importlib.import_module(place.partition(":")[0])
    for distribution in importlib.metadata.distributions():
        for entry in distribution.entry_points:
            if entry.group.startswith("evograft."):
                importlib.import_module(entry.module)
    for name in LATER:
        importlib.import_module(name)
    # A thread of a library would not be in the forked processes, but what it holds would.
    (_,) = Path("/proc/self/task").iterdir()


class ForkServer:
    """Forks a process for each request, and tells how it ended.

    A process that has ended stays a zombie until its requester knows: till then no other one has its id.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._requesters: dict[int, tuple[int, socket.socket]] = {}
        """Process and connection, by the descriptor that becomes readable when the process ends."""

    def serve(self) -> dict[str, Any]:
        """Serve until nobody can ask any more; returns, in forked processes only, what is asked of this one."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is not self._control:
                    self._watch(key)
                elif (request := self._fork()) is not None:
                    return request

    def _fork(self) -> dict[str, Any] | None:
        message, descriptors, *_ = socket.recv_fds(self._control, 1, 4)
        if not message:
            sys.exit()
        *streams, line = descriptors
        process = os.fork()
        if not process:
            self._close()
            return _request(streams, line)
        for descriptor in streams:
            os.close(descriptor)
        ended, requester = os.pidfd_open(process), socket.socket(fileno=line)
        self._requesters[ended] = process, requester
        self._selector.register(ended, selectors.EVENT_READ)
        self._tell(ended, process)
        return None

    def _watch(self, key: selectors.SelectorKey) -> None:
        if isinstance(key.fileobj, int):
            process, requester = self._requesters[key.fileobj]
            self._selector.unregister(key.fileobj)
            self._selector.register(requester, selectors.EVENT_READ, key.fileobj)
            self._tell(key.fileobj, _status(process))
        elif not key.fileobj.recv(4096):
            self._selector.unregister(key.fileobj)
            process, requester = self._requesters.pop(key.data)
            requester.close()
            os.close(key.data)
            os.waitpid(process, 0)

    def _tell(self, ended: int, number: int) -> None:
        with suppress(BrokenPipeError):  # the requester does not want to know
            self._requesters[ended][1].sendall(NUMBER.pack(number))

    def _close(self) -> None:
        self._selector.close()
        self._control.close()
        for ended, (_, requester) in self._requesters.items():
            os.close(ended)
            requester.close()


def _status(process: int) -> int:
    ended = os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    assert ended is not None
    return ended.si_status << 8 if ended.si_code == os.CLD_EXITED else ended.si_status


def _request(streams: list[int], line: int) -> dict[str, Any]:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    with socket.socket(fileno=line) as connection, connection.makefile("rb") as lines:
        request: dict[str, Any] = json.loads(lines.readline())
    return request


def become(request: dict[str, Any]) -> None:
    """Make this process what an interpreter that starts with this request would be."""
    if request["start_new_session"]:
        os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in request["ignored"]:
        signal.signal(number, signal.SIG_IGN)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    typed = open(0, "rb", closefd=False)  # noqa: SIM115 - is open to the end
    sys.stdin = sys.__stdin__ = TextIOWrapper(typed, sys.stdin.encoding, sys.stdin.errors)
    sys.stdout = sys.__stdout__ = _output(1, sys.stdout)
    sys.stderr = sys.__stderr__ = _output(2, sys.stderr)
    if folders := request["environment"].get("PYTHONPATH"):
        sys.path[1:1] = [str(Path(folder).absolute()) for folder in folders.split(os.pathsep)]
    importlib.invalidate_caches()
    tempfile.tempdir = None


def _output(descriptor: int, usual: TextIO) -> TextIOWrapper:
    """The stream of a descriptor, which buffers as its file and the settings of this interpreter want it."""
    assert isinstance(usual, TextIOWrapper)
    at_once = usual.write_through
    file = open(descriptor, "wb", 0 if at_once else -1, closefd=False)  # noqa: SIM115 - is open to the end
    by_line = not at_once and (descriptor == STDERR or file.isatty())
    return TextIOWrapper(file, usual.encoding, usual.errors, "\n", by_line, at_once)


def run(arguments: list[str]) -> None:
    """Do what Python does with these arguments."""
    sys.orig_argv = [sys.executable, *arguments]
    kind, *rest = arguments
    if kind == "-m":
        sys.argv = rest
        sys.path[0] = str(Path.cwd())
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv = ["-c", *rest[1:]]
        sys.path[0] = ""
        sys.modules["__main__"] = main = ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), main.__dict__)
    else:
        sys.argv = arguments
        sys.path[0] = str(Path(kind).resolve().parent)
        runpy.run_path(kind, run_name="__main__")


if __name__ == "__main__":
    # Who interrupts the tests in a terminal does not interrupt what forks for them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    preload()
    gc.collect()
    gc.freeze()
    request = ForkServer(socket.socket(fileno=int(sys.argv[1]))).serve()
    become(request)
    run(request["arguments"])
