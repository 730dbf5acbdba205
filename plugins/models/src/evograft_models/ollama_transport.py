"""Answers that Ollama's client can take: it refuses text that UTF-8 cannot hold, which JSON can."""

from __future__ import annotations

import re

import httpx

from evograft_models.http.transport import Transport

_ESCAPES = re.compile(
    rb"\\(?:u(?P<pair>[dD][89abAB]..\\u[dD][c-fC-F]..)|u(?P<lone>[dD][89a-fA-F]..)|.)",
    re.DOTALL,
)


class CleanTransport(Transport):
    """Replaces the escapes of lone surrogates."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if not response.is_success:
            return response
        try:
            content = response.read()
        finally:
            response.close()
        return httpx.Response(response.status_code, headers=response.headers, content=without_lone_surrogates(content))


def without_lone_surrogates(json: bytes) -> bytes:
    """Return JSON in which lone surrogates are the replacement character.

    An escaped backslash before a `u` is not a surrogate.
    """
    return _ESCAPES.sub(lambda match: rb"\ufffd" if match["lone"] else match[0], json)
