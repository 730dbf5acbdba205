"""Constants as Python writes them."""

from __future__ import annotations

import math

import numpy as np

from evograft.api import UserError

MOST_CHARS = 1_000_000


def write_literal(value: object, name: str, user: str) -> str:
    """Return the text of a constant.

    Args:
        value: of the constant.
        name: of it.
        user: the function that uses it.

    Raises:
        UserError: it is something else, or large.
    """
    text = _write(value)
    if text is None:
        raise UserError(
            f"{user}() uses {name}, a {type(value).__name__}, which cannot be sent as source: make it within the "
            "function, or give the evaluator as a file"
        )
    if len(text) > MOST_CHARS:
        raise UserError(
            f"{user}() uses {name}, which has {len(text)} characters: put it into a file, and add read=[FILE]"
        )
    return text


def _write(value: object) -> str | None:
    """Return the text; `None`: the value is not made of numbers, texts, arrays, and lists and mappings of them."""
    kind = type(value)
    if kind is float:
        assert isinstance(value, float)
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if value is None or kind in (bool, int, complex, str, bytes):
        return repr(value)
    if isinstance(value, dict) and kind is dict:
        pairs = [(_write(key), _write(item)) for key, item in value.items()]
        return (
            None if any(None in pair for pair in pairs) else f"{{{', '.join(f'{key}: {item}' for key, item in pairs)}}}"
        )
    if isinstance(value, list | tuple | set | frozenset) and kind in (list, tuple, set, frozenset):
        ordered = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        items = [_write(item) for item in ordered]
        return None if None in items else f"{kind.__name__}([{', '.join(filter(None, items))}])"
    if isinstance(value, np.ndarray | np.generic):
        return _write_array(value)
    return None


def _write_array(value: np.ndarray | np.generic) -> str | None:
    """Return the text of an array or a scalar of NumPy, an expression that needs no import."""
    items = _write(value.tolist()) if value.dtype.kind in "biufcSU" else None
    if items is None:
        return None
    array = f'__import__("numpy").array({items}, dtype="{value.dtype.str}").reshape({value.shape})'
    return f"{array}[()]" if isinstance(value, np.generic) else array
