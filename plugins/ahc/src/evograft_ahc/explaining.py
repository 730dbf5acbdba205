"""What is wrong with a user's data, in one line."""

from __future__ import annotations

from pydantic import ValidationError


def first_problem(err: ValidationError) -> str:
    """Names the field that comes first; the rest shows up when that one is mended."""
    first, *others = err.errors(include_url=False)
    place = ".".join(map(str, first["loc"])) or "the whole"
    more = f" (and {len(others)} more)" if others else ""
    return f"{place}: {first['msg'].lower()}{more}"
