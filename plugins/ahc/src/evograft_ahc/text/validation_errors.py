"""What is wrong with a user's data, in one line."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pydantic import ValidationError

from evograft.api import nearest
from evograft_ahc.text.messages import ContestUserError


def describe_first_problem(err: ValidationError) -> str:
    """Name the field that comes first; the rest shows up when that one is fixed."""
    first, *others = err.errors(include_url=False)
    place = ".".join(map(str, first["loc"])) or "the whole"
    more = f" (and {len(others)} more)" if others else ""
    return f"{place}: {first['msg'].lower()}{more}"


def suggest_in_japanese(word: str, known: Iterable[str]) -> str:
    """`did_you_mean` in Japanese."""
    names = sorted(known)
    if near := nearest(word, names):
        return f"もしかして: {'、'.join(map(repr, near))}"
    return f"使えるもの: {'、'.join(names)}" if names else "1 つもありません"


def make_invalid_data_error(source: object, err: ValidationError) -> ContestUserError:
    """Return the error of data that is not as it has to be.

    Args:
        source: where it is from, such as the file.
        err: what is wrong.
    """
    problem = describe_first_problem(err)
    return ContestUserError(f"{source}: {problem}", ja=f"{source} に誤りがあります: {problem}")


def make_invalid_json_error(source: object, err: json.JSONDecodeError) -> ContestUserError:
    """Return the error of a file that should have been JSON."""
    return ContestUserError(f"{source}: not JSON: {err}", ja=f"{source} は JSON ではありません: {err}")
