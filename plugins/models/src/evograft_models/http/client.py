"""JSON to a server and back, once, within a time and a size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx

from evograft.text.escapes import one_line
from evograft_hookspecs import LlmRetryable
from evograft_models.http.transport import Transport


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
        self._transport = Transport(self.base_url)
        headers = {"Content-Type": "application/json", "User-Agent": "evograft"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        self._client = httpx.Client(headers=headers, **self._transport.settings())

    def post(self, path: str, data: Mapping[str, Any], *, timeout: float) -> Any:
        """Return what the server answers.

        Raises:
            Filtered: a provider's filter withheld the answer.
            LlmRetryable, LlmRefused, LlmUnavailable: as `LlmDriver.complete`.
        """
        url = f"{self.base_url}{path}"
        content = json.dumps(data).encode()
        with self._transport.asking(url, seconds=timeout):
            body = self._client.post(url, content=content).content
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as err:
            raise LlmRetryable(one_line(f"{url}: the answer is not JSON: {err}"), usage=None) from None

    def close(self) -> None:
        """Close all connections; calls that wait raise LlmUnavailable."""
        # The httpx client holds nothing else, and would answer calls that come late with a RuntimeError.
        self._transport.close()
