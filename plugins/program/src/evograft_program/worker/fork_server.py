"""The fork server: imports what evaluations need, and forks one process for each of them."""

from __future__ import annotations

import array
import ctypes
import gc
import os
import socket
import sys
from multiprocessing.synchronize import SemLock
from typing import NoReturn

from evograft_program.worker.evaluation import run
from evograft_program.worker.imports import import_all

DESCRIPTORS = 4
MOST_BYTES = 1 << 16
SET_PARENT_DEATH_SIGNAL = 1
SET_DUMPABLE = 4
KILL = 9


def serve(arguments: list[str]) -> NoReturn:
    """Serve until the runner hangs up.

    Args:
        arguments: of `import_all`.
    """
    link = socket.socket(fileno=int(os.environ["EVOGRAFT_FORK_SERVER"]))
    make_lock = vars(SemLock)["__init__"]
    setattr(SemLock, "__init__", _refuse_lock)  # noqa: B010 - type checkers let nobody assign to a method
    import_all(arguments)
    setattr(SemLock, "__init__", make_lock)  # noqa: B010
    _control_process(SET_DUMPABLE, 0)  # nobody reads its memory or takes its descriptors
    gc.collect()
    gc.freeze()
    link.send(b"\0")
    while True:
        message, ancillary, _, _ = link.recvmsg(MOST_BYTES, socket.CMSG_SPACE(DESCRIPTORS * 4))
        if not message:
            os._exit(0)
        descriptors = array.array("i", ancillary[0][2])
        link.send(str(_fork(link, message, descriptors)).encode())
        for descriptor in descriptors:
            os.close(descriptor)


def _refuse_lock(*_: object, **__: object) -> NoReturn:
    """Make no lock of processes here: evaluations would share it with one that was killed while it held it."""
    raise OSError("locks of processes are made by each evaluation")


def _control_process(what: int, value: int) -> None:
    ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def _fork(link: socket.socket, message: bytes, descriptors: array.array[int]) -> int:
    """Fork a process that is not this one's child any more; return its number."""
    reading, writing = os.pipe()
    first = os.fork()
    if first == 0:
        second = os.fork()
        if second:
            os.write(writing, str(second).encode())
            os._exit(0)
        os.close(reading)
        os.close(writing)
        link.close()
        _begin(message, descriptors)
    os.waitpid(first, 0)
    number = int(os.read(reading, 32))
    os.close(reading)
    os.close(writing)
    return number


def _begin(message: bytes, descriptors: array.array[int]) -> None:
    """Become the command."""
    try:
        os.setsid()
        for target, descriptor in enumerate(descriptors[:3]):
            os.dup2(descriptor, target)
        if not os.read(descriptors[3], 1):
            os._exit(1)  # the runner has given it up
        _control_process(SET_PARENT_DEATH_SIGNAL, KILL)
        for descriptor in descriptors:
            os.close(descriptor)
        arguments, environment = _read_message(message)
        os.environ.clear()
        os.environ.update({name: value for name, _, value in (each.partition("=") for each in environment)})
        os.chdir(os.environ["HOME"])
        sys.argv = arguments
        run()
    finally:
        os._exit(1)


def _read_message(message: bytes) -> tuple[list[str], list[str]]:
    texts = message.decode().split("\0")
    count = int(texts[0])
    return texts[1 : 1 + count], texts[2 + count : -1]
