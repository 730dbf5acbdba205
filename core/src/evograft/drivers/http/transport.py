"""Connections with one deadline for a whole exchange, which end at once when they are closed.

httpx limits each read by itself, so that a server that drips a byte now and then is waited for without end. Below it,
httpcore lets one say how bytes are read and written.
"""

from __future__ import annotations

import contextlib
import math
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

IDLE_SECONDS = 60.0
_PIECE = 65536
"""Bytes that are written at a time."""


class Transport(httpx.BaseTransport):
    """A pool of kept connections to one server, directly or through the environment's proxy.

    Args:
        address: of the server; decides on the proxy.
    """

    def __init__(self, address: str) -> None:
        self._clock = _Clock()
        self._backend = _Backend(self._clock)
        options: dict[str, Any] = {
            # Reading the certificates takes 20 ms.
            "ssl_context": httpx.create_ssl_context() if address.startswith("https:") else None,
            "max_connections": None,
            "keepalive_expiry": IDLE_SECONDS,
            "network_backend": self._backend,
        }
        proxy = _proxy_for(address)
        self._pool = httpcore.HTTPProxy(**proxy, **options) if proxy else httpcore.ConnectionPool(**options)

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Whatever this thread exchanges inside ends when the seconds are over."""
        self._clock.end = time.monotonic() + seconds
        try:
            yield
        finally:
            self._clock.end = math.inf

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        with _as_httpx():
            answer = self._pool.handle_request(
                httpcore.Request(
                    method=request.method,
                    url=url,
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions)

    def close(self) -> None:
        """Ends all connections; calls that wait on one fail now."""
        self._backend.close()
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


@contextlib.contextmanager
def _as_httpx() -> Iterator[None]:
    try:
        yield
    except httpcore.TimeoutException as err:
        raise httpx.TimeoutException("time-out") from err
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, OSError) as err:
        raise httpx.TransportError(str(err) or type(err).__name__) from err


class _Clock(threading.local):
    """When the exchange of the current thread has to be over."""

    end = math.inf

    def left(self) -> float:
        left = self.end - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("time-out")
        return left


class _Backend(httpcore.NetworkBackend):
    def __init__(self, clock: _Clock) -> None:
        self._clock = clock
        self._inner = httpcore.SyncBackend()
        self._lock = threading.Lock()
        self._streams: set[_Stream] = set()
        self._closed = False

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
            closed = self._closed
        if closed:
            stream.end()
        return stream

    def drop(self, stream: _Stream) -> None:
        with self._lock:
            self._streams.discard(stream)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            streams = list(self._streams)
        for stream in streams:
            stream.end()


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, clock: _Clock, backend: _Backend) -> None:
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
        """Wakes whoever reads or writes; closing alone would not."""
        with contextlib.suppress(OSError):
            # SSLSocket's own method would pull its state away from under the thread that reads.
            socket.socket.shutdown(self._inner.get_extra_info("socket"), socket.SHUT_RDWR)


def _proxy_for(address: str) -> dict[str, Any]:
    """Arguments of the proxy that the environment sets for an address; empty if it is reached directly."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return {}
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy:
        return {}
    given = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if given.scheme not in ("http", "https"):
        raise ValueError(f"a proxy of the kind {given.scheme!r} is not supported, only http and https")
    place = urlunsplit((given.scheme, given.netloc.rpartition("@")[2], "", "", ""))
    if given.username is None:
        return {"proxy_url": place}
    return {"proxy_url": place, "proxy_auth": (unquote(given.username), unquote(given.password or ""))}
