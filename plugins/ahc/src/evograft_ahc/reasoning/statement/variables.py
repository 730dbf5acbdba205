"""The variables of an input or output format, read out of the block that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evograft_ahc.reasoning.statement.analysis import Variable
from evograft_ahc.reasoning.statement.formulas import make_plain
from evograft_hookspecs import FrozenDict

MOST = 40

_BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INDEXED = re.compile(r"([A-Za-z]+'?)_([^_\s]+)")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]{0,20}'?")
_DOTS = {"...", ":", ".."}
_TYPES = {"string": "string", "文字列": "string", "real": "float", "実数": "float"}


def find_variables(text: str) -> tuple[Variable, ...]:
    """Return the variables of the first block of a section; none if no block shows a format."""
    block = _BLOCK.search(text)
    if block is None:
        return ()
    rows = [_tokens(line) for line in block[1].splitlines()]
    found: dict[str, Variable] = {}
    for variable in _variables(rows, text):
        found.setdefault(variable.name, variable)
    parts = [set(variable.object_schema) for variable in found.values()]
    # A first row often has less than those that follow: the depot of a tour has no demand.
    return tuple(
        each
        for each in found.values()
        if not any(each.object_schema and set(each.object_schema) < other for other in parts)
    )[:MOST]


def _variables(rows: list[list[str]], text: str) -> Iterator[Variable]:
    indices = _indices(rows)
    for row in rows:
        yield from (Variable(name=name, type=_type_of(name, text)) for name in row if _PLAIN.fullmatch(name))
        # A row such as `c_0,0c_0,1...c_0,N-1` is a string: nothing stands between its parts.
        strings = [token.partition("_")[0] for token in row if "..." in token]
        yield from (Variable(name=name[:100], type="array_of_string") for name in strings if name)
        names = list(dict.fromkeys(token[1] for token in map(_INDEXED.fullmatch, row) if token))
        yield from _arrays([name for name in names if name not in strings], indices, text)


def _arrays(names: list[str], indices: dict[str, list[str]], text: str) -> Iterator[Variable]:
    """One array of numbers, or one of objects where several stand side by side."""
    if not names:
        return
    count = _length(indices[names[0]][0], indices[names[0]][-1])
    if len(names) == 1:
        yield Variable(name=names[0][:100], type=f"array_of_{_type_of(names[0], text)}", count=count)
        return
    parts = FrozenDict({name[:100]: _type_of(name, text) for name in names[:30]})
    yield Variable(name="_".join(names)[:100], type="array_of_objects", count=count, object_schema=parts)


def _indices(rows: list[list[str]]) -> dict[str, list[str]]:
    """Return what stands below each name, from the first place to the last."""
    found: dict[str, list[str]] = {}
    for token in (match for row in rows for match in map(_INDEXED.fullmatch, row) if match):
        found.setdefault(token[1], []).append(token[2])
    return found


def _length(first: str, last: str) -> str:
    """Count from one index to another: `0` to `N-1` are `N`, `0` to `N` are `N+1`, `1` to `N` are `N`."""
    counted = []
    for start, end in zip(first.split(","), last.split(","), strict=False):
        if start == end:
            continue
        from_zero = start == "0"
        counted.append(end.removesuffix("-1") if from_zero and end.endswith("-1") else f"{end}+1" if from_zero else end)
    return "*".join(counted)[:500] or last[:500]


def _tokens(line: str) -> list[str]:
    return [token for token in make_plain(line.replace("$", " ")).split() if token not in _DOTS]


def _type_of(name: str, text: str) -> str:
    about = re.search(rf"\${re.escape(name)}(?:_[^$]*)?\$[^.。\n]{{0,60}}?(string|文字列|real|実数)", text)
    return _TYPES[about[1]] if about else "int"
