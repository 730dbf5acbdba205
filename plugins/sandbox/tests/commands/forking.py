"""A fork server that runs Python programs: python forking.py MODULE...; a command is an interpreter and a program."""

from __future__ import annotations

import array
import contextlib
import ctypes
import importlib
import os
import runpy
import signal
import socket
import sys

SET_PARENT_DEATH_SIGNAL, SET_DUMPABLE = 1, 4
DESCRIPTORS = 4
control_process = ctypes.CDLL(None).prctl


def main(modules: list[str]) -> None:
    for module in modules:
        importlib.import_module(module)
    link = socket.socket(fileno=int(os.environ["EVOGRAFT_FORK_SERVER"]))
    control_process(SET_DUMPABLE, 0, 0, 0, 0)
    link.send(b"\0")
    while True:
        message, ancillary, _, _ = link.recvmsg(1 << 16, socket.CMSG_SPACE(4 * DESCRIPTORS))
        if not message:
            return
        descriptors = array.array("i", ancillary[0][2])
        link.send(b"%d" % fork_twice(link, message, descriptors))
        for descriptor in descriptors:
            os.close(descriptor)


def fork_twice(link: socket.socket, message: bytes, descriptors: array.array[int]) -> int:
    reading, writing = os.pipe()
    if (first := os.fork()) == 0:
        if second := os.fork():
            os.write(writing, b"%d" % second)
            os._exit(0)
        os.close(reading)
        os.close(writing)
        link.close()
        begin(message, descriptors)
    os.waitpid(first, 0)
    number = int(os.read(reading, 32))
    os.close(reading)
    os.close(writing)
    return number


def begin(message: bytes, descriptors: array.array[int]) -> None:
    """Become the command."""
    exit_code = 1
    with contextlib.suppress(SystemExit):
        if os.read(descriptors[3], 1):
            control_process(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
            for target, descriptor in enumerate(descriptors[:3]):
                os.dup2(descriptor, target)
            for descriptor in descriptors:
                os.close(descriptor)
            run(message.decode().split("\0"))
            exit_code = 0
    sys.stdout.flush()
    os._exit(exit_code)


def run(texts: list[str]) -> None:
    count = int(texts[0])
    os.environ.clear()
    os.environ.update(text.split("=", 1) for text in texts[2 + count : -1])
    os.chdir(os.environ["HOME"])
    sys.argv = texts[2 : 1 + count]
    sys.path[0] = os.environ["HOME"]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
