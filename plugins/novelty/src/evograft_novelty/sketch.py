"""Sketches: coarse fingerprints that near duplicates share and few other programs do, at a third of the cost.

A sketch holds the numbers of a program and how often each operator occurs in it. A fingerprint never leaves one of them
out, adds one or writes it otherwise, so programs of one fingerprint have one sketch. Those of one sketch may differ.
"""

from __future__ import annotations

import cmath
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256

from tree_sitter import Language, Node, Parser, Query, QueryCursor

from evograft_novelty.fingerprints import LONGEST, NAMES, get_language, normalise_line_ends
from evograft_novelty.tokens.cpp_text import read_cpp, splice_lines
from evograft_novelty.tokens.python_literals import find_value, read_python

PYTHON = "(integer) @number (float) @float", "+ - * / // % ** < > <= >= == = += -= . [ and or for return"
CPP = "(number_literal) @number (field_identifier) @member", "+ - * / % < > <= >= == = += -= [ && || ! if for return"
"""Leaves only: looking at the nodes above them takes time that grows with the square of a program's depth."""

SIGNS = {b"+": "operator.0", b"-": "operator.1"}
"""As what the sign of a C++ number counts, which is a part of the number to the grammar and an operator to people."""

DEEPEST = 2**16 - 1
"""Nodes, so that none lies deeper: where one does, a query takes minutes."""


def sketch(files: Mapping[str, str], kind: str, language: str) -> str:
    """Return 16 hexadecimal digits, the same for all candidates of one fingerprint.

    Empty: it may be like any other, whatever its fingerprint is.

    Args:
        files: path to text, as in `fingerprint`.
        kind: the candidates' kind.
        language: as in `fingerprint`.
    """
    marks = [(path, _marks(files[path], get_language(path, language))) for path in sorted(files)]
    if any(kept is None for _, kept in marks):
        return ""
    return sha256(ascii((kind, marks)).encode()).hexdigest()[:16]


def _marks(text: str, language: str) -> object:
    """Return what is kept of a file: nothing if no tree says what is code and what is text.

    `None` if it may be like any other.
    """
    if len(text) > LONGEST:
        return None  # its words may be the tokens of a shorter program
    name = NAMES.get(language, "")
    load = _QUERIES.get(name)
    if load is None or "\0" in text:
        return ""
    grammar, query = load()
    source = normalise_line_ends(text).encode(errors="surrogatepass")
    if name == "cpp":
        source = splice_lines(source)
    root = Parser(grammar).parse(source).root_node
    if root.has_error:
        return "broken"
    if root.descendant_count > DEEPEST:
        return None
    return _collect(source, QueryCursor(query).captures(root))


def _collect(source: bytes, found: dict[str, list[Node]]) -> object:
    """Return members, values, integers and operators, sorted, because the nodes are in no particular order."""
    members, floats, numbers = (_texts(source, found.pop(name, [])) for name in ("member", "float", "number"))
    values = [
        value for value in map(find_value, map(bytes.decode, floats)) if value is not None and cmath.isfinite(value)
    ]
    integers = [number.lstrip(b"+-").lower().translate(None, b"_'") for number in numbers]
    operators = Counter({name: len(nodes) for name, nodes in found.items()})
    operators.update(SIGNS[number[:1]] for number in numbers if number[:1] in SIGNS)
    return sorted(members), sorted(map(repr, values)), sorted(integers), sorted(operators.items())


def _texts(source: bytes, nodes: Sequence[Node]) -> list[bytes]:
    return [source[node.start_byte : node.end_byte] for node in nodes]


def _query(language: Language, leaves: str, operators: str) -> Query:
    """Return a query that counts each operator under a name of its own, which is faster than looking at each node."""
    counted = [f'"{operator}" @operator.{place}' for place, operator in enumerate(operators.split())]
    return Query(language, " ".join([leaves, *counted]))


@cache
def _python() -> tuple[Language, Query]:
    return read_python(), _query(read_python(), *PYTHON)


@cache
def _cpp() -> tuple[Language, Query]:
    return read_cpp(), _query(read_cpp(), *CPP)


_QUERIES: Mapping[str, Callable[[], tuple[Language, Query]]] = {"cpp": _cpp, "python": _python}
