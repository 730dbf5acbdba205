"""The refusal that a tool answers with instead of a result."""

from __future__ import annotations


class RequestRefused(Exception):  # noqa: N818 - it says what happened, not that something broke
    """Something is not there, not allowed or asked for in a wrong way; the text tells the model what to do instead."""
