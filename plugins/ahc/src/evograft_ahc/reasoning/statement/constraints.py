r"""Ranges of variables as statements write them: `$1 \le N \le 100$`, `$D = 70$`, `$T$ は $5$ 以上 $100$ 以下`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evograft_ahc.reasoning.statement.analysis import Bound, Constraint
from evograft_ahc.reasoning.statement.formulas import SIGNS, make_plain, remove_marks

MOST = 60
LARGEST = 10**30
"""Of a number; a larger one stays text."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_,']*")
_OUTSIDE_BRACES = re.compile(r",(?![^{}]*\})")
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?")
_POWER = re.compile(r"(?:(\d{1,9})\*)?(-?\d{1,9})\^(\d{1,2})")
_BETWEEN_JA = re.compile(r"\$([^$]+)\$\s*は\s*\$([^$]+)\$\s*以上\s*(?:かつ)?\s*\$([^$]+)\$\s*(以下|未満)")
_REAL = re.compile(r"\breal\b|実数|decimal|小数", re.IGNORECASE)


def find_constraints(text: str) -> dict[str, Constraint]:
    """Return the constraint of each variable; of several the first counts."""
    found: dict[str, Constraint] = {}
    for line in text.splitlines():
        kind = "real" if _REAL.search(line) else "integer"
        for name, low, high in _ranges(line):
            if len(found) < MOST:
                found.setdefault(name, Constraint(min=low, max=high, type=kind, description=remove_marks(line)[:500]))
    return found


def _ranges(line: str) -> Iterator[tuple[str, Bound | None, Bound | None]]:
    for names, low, high, end in _BETWEEN_JA.findall(line):
        yield from ((name, read_bound(low), _end(high, strict=end == "未満")) for name in _names(names))
    for formula in re.findall(r"\$([^$]+)\$", line):
        yield from _ranges_of_chain(formula)


def _ranges_of_chain(formula: str) -> Iterator[tuple[str, Bound | None, Bound | None]]:
    r"""Return the ranges of the names within a chain of comparisons such as `0 \le x, y \lt N`."""
    pieces = SIGNS.split(formula)
    terms, signs = pieces[::2], [make_plain(sign) for sign in pieces[1::2]]
    if signs == ["="]:
        fixed = read_bound(terms[1])
        yield from ((name, fixed, fixed) for name in _names(terms[0]) if isinstance(fixed, int | float))
        return
    for place, term in enumerate(terms):
        low = read_bound(terms[place - 1]) if place else None
        high = _end(terms[place + 1], strict=signs[place] == "<") if place < len(signs) else None
        if isinstance(low, int | float) or isinstance(high, int | float):
            yield from ((name, low, high) for name in _names(term))


def read_bound(text: str) -> Bound:
    """Return a number if the text is one, else the text: a bound may name another variable."""
    tight = make_plain(text).replace(" ", "").replace(",", "")
    if _NUMBER.fullmatch(tight):
        return float(tight) if "." in tight else int(tight)
    power = _POWER.fullmatch(tight)
    value = int(power[1] or 1) * int(power[2]) ** int(power[3]) if power else LARGEST + 1
    return value if abs(value) <= LARGEST else make_plain(text).strip()[:500]


def _end(text: str, *, strict: bool) -> Bound:
    """Return an upper bound; below a whole number is at most the one before."""
    bound = read_bound(text)
    return bound - 1 if strict and isinstance(bound, int) else bound


def _names(term: str) -> list[str]:
    """Return the variables of a term such as `x_i, y_i`; none if it is an expression."""
    parts = [make_plain(part) for part in _OUTSIDE_BRACES.split(term)]
    return parts if all(_NAME.fullmatch(part) for part in parts) else []
