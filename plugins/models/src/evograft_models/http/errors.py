"""Faults of a provider: what each means for the caller, said in one line, without keys."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from evograft.text.escapes import one_line
from evograft_hookspecs import LlmRefused, LlmRetryable, LlmUnavailable

RETRYABLE = frozenset({408, 409, 425, 429})
UNAVAILABLE = frozenset({401, 402, 403})
UNAVAILABLE_CODES = frozenset(
    {"account_deactivated", "billing_not_active", "insufficient_quota", "invalid_api_key", "model_not_found"}
)
FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})
UNSUPPORTED_CODES = ("unsupported_parameter", "unsupported_value")


class AnswerFiltered(LlmRefused):
    """A provider's filter withheld the answer, and said so with an error."""


class FieldRefused(LlmRefused):
    """The model does not take a field of the request, or only with its default.

    Args:
        reason: what is wrong, one line.
        field: its name.
    """

    def __init__(self, reason: str, *, field: str) -> None:
        super().__init__(reason)
        self.field = field


class ModelNotFound(LlmUnavailable):
    """The server knows no such model, or no such path."""


def find_fault(status: int, headers: Mapping[str, str], body: bytes, *, who: str) -> Exception:
    """Return the exception for an answer that is not a success.

    Args:
        status: of HTTP.
        headers: with names in lower case.
        body: whatever came with it.
        who: the address that answered.
    """
    data = _read(body)
    reason = one_line(f"{who}: HTTP {status}: {read_complaint(data) or body.decode('utf-8', 'replace')}".rstrip(": "))
    if status == 404:  # noqa: PLR2004 - HTTP's
        return ModelNotFound(reason)
    if status in UNAVAILABLE or UNAVAILABLE_CODES & set(_codes(data)):
        return LlmUnavailable(reason)
    if status < 500 and not FILTER_CODES.isdisjoint(_codes(data)):  # noqa: PLR2004 - HTTP's
        return AnswerFiltered(reason)
    if status in RETRYABLE or status >= 500:  # noqa: PLR2004 - HTTP's
        return LlmRetryable(reason, retry_after=read_retry_after(headers))
    if status < 400:  # noqa: PLR2004 - HTTP's
        target = f" to {headers['location']}" if "location" in headers else ""
        return LlmUnavailable(one_line(f"{who}: HTTP {status}{target}: redirects are not followed, give that address"))
    field = _find_refused_field(data)
    return FieldRefused(reason, field=field) if field else LlmRefused(reason)


def read_complaint(data: Any) -> str:
    """Return what a provider says is wrong, in whichever of the usual places; empty if it says nothing."""
    if isinstance(data, list) and data:
        return read_complaint(data[0])
    if not isinstance(data, dict):
        return data if isinstance(data, str) else ""
    for key in ("error", "message", "detail"):
        if data.get(key):
            return read_complaint(data[key]) or json.dumps(data[key])
    return ""


def _find_refused_field(data: Any) -> str:
    """Return the field that an error of OpenAI's shape names as not supported; empty: it names none."""
    error = data.get("error") if isinstance(data, dict) else None
    if not isinstance(error, dict) or error.get("code") not in UNSUPPORTED_CODES:
        return ""
    return error["param"] if isinstance(error.get("param"), str) else ""


def _codes(data: Any) -> Iterator[str]:
    if isinstance(data, list):
        for item in data:
            yield from _codes(item)
    elif isinstance(data, dict):
        yield from (data[key] for key in ("code", "type") if isinstance(data.get(key), str))
        for key in ("error", "innererror"):
            yield from _codes(data.get(key))


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a provider asks to wait.

    They are given as a number of seconds, of milliseconds, or as a date.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        return max(seconds, 0.0) if math.isfinite(seconds) else None
    try:
        return max(parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time(), 0.0)
    except (KeyError, ValueError, OverflowError, OSError):
        return None
