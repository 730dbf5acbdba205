"""Reading and writing bytes with one deadline for a whole exchange, in a way that can be ended from another thread."""

from __future__ import annotations

import contextlib
import math
import socket
import ssl
import threading
import time
from collections.abc import Iterable
from typing import Any

import httpcore

_PIECE = 65_536
"""Bytes that are written at a time."""


class ExchangeDeadline(threading.local):
    """When the exchange of the current thread has to be over."""

    end = math.inf

    def left(self) -> float:
        left = self.end - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("time-out")
        return left


class DeadlineBackend(httpcore.NetworkBackend):
    def __init__(self, clock: ExchangeDeadline) -> None:
        self._clock = clock
        self._inner = httpcore.SyncBackend()
        self._lock = threading.Lock()
        self._streams: set[_Stream] = set()
        self.closed = False

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the clock's holds
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        stream = self._inner.connect_tcp(host, port, self._clock.left(), local_address, socket_options)
        return self.keep(_Stream(stream, self._clock, self))

    def keep(self, stream: _Stream) -> _Stream:
        with self._lock:
            self._streams.add(stream)
            closed = self.closed
        if closed:
            stream.end()
        return stream

    def drop(self, stream: _Stream) -> None:
        with self._lock:
            self._streams.discard(stream)

    def close(self) -> None:
        with self._lock:
            self.closed = True
            streams = list(self._streams)
        for stream in streams:
            stream.end()


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, clock: ExchangeDeadline, backend: DeadlineBackend) -> None:
        self._inner = inner
        self._clock = clock
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the clock's holds
        return self._inner.read(max_bytes, self._clock.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the clock's holds
        for start in range(0, len(buffer), _PIECE):
            self._inner.write(buffer[start : start + _PIECE], self._clock.left())

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - the clock's holds
    ) -> httpcore.NetworkStream:
        self._backend.drop(self)
        inner = self._inner.start_tls(ssl_context, server_hostname, self._clock.left())
        return self._backend.keep(_Stream(inner, self._clock, self._backend))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    def close(self) -> None:
        self._backend.drop(self)
        self._inner.close()

    def end(self) -> None:
        """Wake whoever reads or writes; closing alone would not."""
        with contextlib.suppress(OSError):
            # SSLSocket's own method would pull its state away from under the thread that reads.
            socket.socket.shutdown(self._inner.get_extra_info("socket"), socket.SHUT_RDWR)
