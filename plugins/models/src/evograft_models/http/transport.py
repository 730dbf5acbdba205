"""Connections with one deadline for a whole exchange, which end at once when they are closed.

httpx limits each read by itself, so that a server that drips a byte at intervals is waited for without end. Below it,
httpcore lets one say how bytes are read and written.
"""

from __future__ import annotations

import contextlib
import math
import ssl
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from evograft.text.escapes import one_line
from evograft_hookspecs import LlmRefused, LlmRetryable, LlmUnavailable, Usage
from evograft_models.http.errors import find_fault
from evograft_models.http.network import DeadlineBackend, ExchangeDeadline

IDLE_SECONDS = 60.0
LARGEST = 16_000_000
"""Bytes of an answer; no model writes as much."""
_LARGEST_FAULT = 65_536
STOPPED = "the run has stopped"
_NOT_SENT = (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError)
"""Nobody has seen the request, so nobody bills it."""


class Transport(httpx.BaseTransport):
    """A pool of kept connections to one server, directly or through the environment's proxy.

    Args:
        address: of the server; decides on encryption and proxy.

    Raises:
        LlmUnavailable: the environment sets a proxy that cannot be used.
    """

    def __init__(self, address: str) -> None:
        self._clock = ExchangeDeadline()
        self._backend = DeadlineBackend(self._clock)
        options: dict[str, Any] = {
            # Reading the certificates takes 20 ms.
            "ssl_context": httpx.create_ssl_context() if address.startswith("https:") else None,
            "max_connections": None,
            "keepalive_expiry": IDLE_SECONDS,
            "network_backend": self._backend,
        }
        proxy = _find_proxy_for(address)
        self._pool = httpcore.HTTPProxy(**proxy, **options) if proxy else httpcore.ConnectionPool(**options)

    def settings(self) -> dict[str, Any]:
        """Return the arguments of an httpx client over it: times and the proxy are ours; no redirects."""
        return {
            "transport": self,
            "timeout": None,
            "trust_env": False,
            "follow_redirects": False,
            "event_hooks": {"response": [_raise_fault]},
        }

    @contextlib.contextmanager
    def asking(self, who: str, *, seconds: float) -> Iterator[None]:
        """End whatever this thread exchanges in the block when the seconds are over.

        Raises:
            LlmRetryable, LlmRefused, LlmUnavailable: as `LlmDriver.complete`.
        """
        if self._backend.closed:
            raise LlmUnavailable(STOPPED)
        self._clock.end = time.monotonic() + seconds
        try:
            yield
        except httpx.HTTPError as err:
            if self._backend.closed:
                raise LlmUnavailable(STOPPED) from None
            if _is_untrusted(err):
                hint = "name the file of its authority in SSL_CERT_FILE if that is as it should be"
                raise LlmUnavailable(one_line(f"{who}: {err}; {hint}")) from None
            reason = f"no answer in {seconds:g} s" if isinstance(err, httpx.TimeoutException) else err
            # It has no cause: that one's text could hold what was sent.
            usage = Usage() if isinstance(err.__cause__, _NOT_SENT) else None
            raise LlmRetryable(one_line(f"{who}: {reason}"), usage=usage) from None
        finally:
            self._clock.end = math.inf

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        # Unpacked, a short answer could be of any size.
        request.headers["Accept-Encoding"] = "identity"
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
        headers = [(name, value) for name, value in answer.headers if name.lower() != b"content-encoding"]
        return httpx.Response(answer.status, headers=headers, stream=_Body(answer), extensions=answer.extensions)

    def close(self) -> None:
        """Close all connections; calls that wait on one fail now, and so do later ones."""
        self._backend.close()
        self._pool.close()


def _find_proxy_for(address: str) -> dict[str, Any]:
    """Return the arguments of the proxy that the environment sets for an address.

    Empty if it is reached directly.
    """
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
        raise LlmUnavailable(
            f"the proxy for {address} is of the kind {given.scheme!r}: only http and https are supported"
        )
    place = urlunsplit((given.scheme, given.netloc.rpartition("@")[2], "", "", ""))
    if given.username is None:
        return {"proxy_url": place}
    return {"proxy_url": place, "proxy_auth": (unquote(given.username), unquote(given.password or ""))}


def _is_untrusted(err: BaseException | None) -> bool:
    """Return whether the server's certificate was refused, which no waiting fixes."""
    while err is not None and not isinstance(err, ssl.SSLCertVerificationError):
        err = err.__cause__ or err.__context__
    return err is not None


def _raise_fault(response: httpx.Response) -> None:
    if not response.is_success:
        response.read()
        raise find_fault(response.status_code, response.headers, response.content, who=str(response.url))


class _Body(httpx.SyncByteStream):
    """An answer's bytes, as many as may come; of an error only its beginning is read."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        is_fault = self._answer.status >= 300  # noqa: PLR2004 - HTTP's
        size = 0
        with _as_httpx():
            for chunk in self._answer.iter_stream():
                size += len(chunk)
                if not is_fault and size > LARGEST:
                    raise LlmRefused(f"the answer is larger than {LARGEST // 1_000_000} MB", usage=None)
                yield chunk
                if is_fault and size > _LARGEST_FAULT:
                    return

    def close(self) -> None:
        self._answer.close()


@contextlib.contextmanager
def _as_httpx() -> Iterator[None]:
    try:
        yield
    except httpcore.TimeoutException as err:
        raise httpx.TimeoutException("time-out") from err
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, OSError) as err:
        # Who looks for "complete" in what a run says looks for its end.
        reason = str(err).replace("without sending complete message body", "before the answer was whole")
        raise httpx.TransportError(reason or type(err).__name__) from err
