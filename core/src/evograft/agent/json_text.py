"""JSON in the text of a model: read where it stands, with what its values may not be."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from evograft_hookspecs.values import freeze


class JsonError(ValueError):
    """Text that is no JSON, or JSON that cannot be kept."""

    def __init__(self, message: str, end: int) -> None:
        super().__init__(message)
        self.end = end
        """The first place of the text that was not looked at."""


def decoded(text: str, at: int) -> tuple[Any, int]:
    """The value that stands at a place, deeply read-only, and where it ends.

    Raises:
        JsonError: there is no JSON, or it is nested too deeply, or holds what no log can keep.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as err:
        raise JsonError(err.msg, max(err.pos, at + 1)) from err
    except ValueError as err:  # a number of thousands of digits, or one of the constants below
        raise JsonError(str(err), at + 1) from err
    except RecursionError as err:
        raise JsonError(_DEEP, at + 1) from err
    return _kept(value, end), end


def _kept(value: Any, end: int) -> Any:
    try:
        return freeze(value)
    except ValueError as err:
        raise JsonError(str(err), end) from err
    except RecursionError as err:
        raise JsonError(_DEEP, end) from err


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DEEP = "nested too deeply"
_DECODER = json.JSONDecoder(parse_constant=_refuse)
