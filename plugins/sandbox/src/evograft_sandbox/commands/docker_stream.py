"""A runner inside a container, reached through the engine."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from typing import Any

from evograft_sandbox.commands.runner_channel import CLOSED

CHUNK = 1 << 16
HEADER = struct.Struct(">BxxxL")
"""Of a part of an output: which one, and how long the part is."""
STDOUT = 1
CONFLICT = 409
PATIENCE = 30


class DockerStream:
    """The standard streams of a container that is about to be started; the container ends with its input.

    Args:
        container: made with an input that ends when the first who attached to it is gone.
    """

    def __init__(self, container: Any) -> None:
        self._container = container
        attached = container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
        # What the library returns wraps the socket, but for TLS, in a file that can only be read.
        self._socket: socket.socket = getattr(attached, "_sock", attached)
        self._wrapper = attached
        self._pending = b""
        self._said = b""
        self._receiving = threading.Lock()
        self._closed = False

    def send(self, data: bytes) -> None:
        self._socket.settimeout(None)
        self._socket.sendall(data)

    def receive(self, seconds: float) -> bytes:
        with self._receiving:
            self._socket.settimeout(max(seconds, 1e-3))
            while not (output := self._take_output()):
                part = self._socket.recv(CHUNK)
                if not part:
                    return b""
                self._pending += part
            return output

    def close(self) -> None:
        from docker.errors import APIError, NotFound

        self._closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        # The receiver learns of the end before.
        with self._receiving:
            self._wrapper.close()
            self._socket.close()
        try:
            self._container.remove(force=True)
        except NotFound:
            return
        except APIError as err:
            if err.status_code != CONFLICT:
                raise
            # The engine removes it already, because it has ended.
            with contextlib.suppress(NotFound):
                self._container.wait(condition="removed", timeout=PATIENCE)

    def get_exit_reason(self) -> str:
        if self._closed:
            return CLOSED
        said = self._said.decode(errors="replace").strip()
        return said.splitlines()[-1] if said else "its container is gone"

    def _take_output(self) -> bytes:
        """Take whole parts only; those of standard error are for the exit reason."""
        output = b""
        while len(self._pending) >= HEADER.size:
            kind, length = HEADER.unpack_from(self._pending)
            end = HEADER.size + length
            if len(self._pending) < end:
                break
            part, self._pending = self._pending[HEADER.size : end], self._pending[end:]
            if kind == STDOUT:
                output += part
            else:
                self._said = (self._said + part)[-CHUNK:]
        return output
