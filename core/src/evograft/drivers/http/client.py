"""JSON to a server and back, once, within a time and a size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from evograft.drivers.http.errors import fault, one_line
from evograft.drivers.http.transport import Transport
from evograft_hookspecs import LlmRefused, LlmRetryable, LlmUnavailable

LARGEST = 16_000_000
"""Bytes of an answer; no model writes as much."""
_LARGEST_FAULT = 65_536
STOPPED = "the run has stopped"


class JsonClient:
    """A server that is asked in JSON; used by several threads.

    Args:
        base_url: what paths are appended to.
        key: sent as a bearer token; `None`: none is.

    Raises:
        LlmUnavailable: the environment sets a proxy that cannot be used.
    """

    def __init__(self, base_url: str, *, key: str | None) -> None:
        self.base_url = base_url.rstrip("/")
        try:
            self._transport = Transport(self.base_url)
        except ValueError as err:
            raise LlmUnavailable(one_line(f"{self.base_url} cannot be reached: {err}")) from None
        # Compressed, a short answer could unpack to any size.
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "evograft"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        # Times and the proxy are the transport's; trust_env would look for a .netrc at every call.
        self._client = httpx.Client(transport=self._transport, headers=headers, timeout=None, trust_env=False)  # noqa: S113
        self._closed = False

    def post(self, path: str, data: Mapping[str, Any], *, timeout: float) -> Any:
        """What the server answers.

        Raises:
            Filtered: a provider's filter withheld the answer.
            LlmRetryable, LlmRefused, LlmUnavailable: as `LlmDriver.complete`.
        """
        if self._closed:
            raise LlmUnavailable(STOPPED)
        url = f"{self.base_url}{path}"
        content = json.dumps(data).encode()
        with (
            self._faults(url, timeout=timeout),
            self._transport.within(timeout),
            self._client.stream("POST", url, content=content) as response,
        ):
            body = _read(response, url)
        if not response.is_success:
            raise fault(response.status_code, response.headers, body, who=url)
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as err:
            raise LlmRetryable(one_line(f"{url}: the answer is not JSON: {err}")) from None

    @contextmanager
    def _faults(self, url: str, *, timeout: float) -> Iterator[None]:
        """None of the raised errors has a cause: its text could hold what was sent."""
        try:
            yield
        except httpx.HTTPError as err:
            if self._closed:
                raise LlmUnavailable(STOPPED) from None
            reason = f"no answer in {timeout:g} s" if isinstance(err, httpx.TimeoutException) else err
            raise LlmRetryable(one_line(f"{url}: {reason}")) from None

    def close(self) -> None:
        """Ends all connections; calls that wait raise LlmUnavailable."""
        self._closed = True
        # The httpx client holds nothing besides, and would answer calls that come late with a RuntimeError.
        self._transport.close()


def _read(response: httpx.Response, url: str) -> bytes:
    largest = LARGEST if response.is_success else _LARGEST_FAULT
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > largest:
            if response.is_success:
                raise LlmRefused(f"{url}: the answer is larger than {largest // 1_000_000} MB")
            break
    return bytes(body[:largest])
