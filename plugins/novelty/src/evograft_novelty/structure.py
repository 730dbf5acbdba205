"""Structure of a program in a few numbers, by which programs lie near one another if they are built alike."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping

from tree_sitter import Language, Parser

from evograft_novelty.fingerprints import LONGEST, NAMES, get_language, normalise_line_ends, normalise_tokens
from evograft_novelty.tokens.cpp_text import read_cpp
from evograft_novelty.tokens.python_literals import read_python

COUNTED: Mapping[str, frozenset[str]] = {
    "functions": frozenset({"function_definition", "lambda", "lambda_expression"}),
    "branches": frozenset(
        {"if_statement", "elif_clause", "conditional_expression", "case_clause", "case_statement", "if_clause"}
    ),
    "loops": frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop", "for_in_clause"}),
    "calls": frozenset({"call", "call_expression"}),
    "numbers": frozenset({"integer", "float", "number_literal"}),
}
"""Nodes of the syntax trees of Python and C++, by what they are counted as."""
_NAMES = {kind: name for name, kinds in COUNTED.items() for kind in kinds}


def measure_structure(files: Mapping[str, str], language: str) -> dict[str, float]:
    """Return how large a program is, and how much there is of what `COUNTED` names.

    All are square roots of counts: one more loop is much where there are two, and little where there are fifty. A root
    is rounded alike on every machine, as a logarithm need not be.

    Args:
        files: path to text. A suffix that says the language counts for more than `language`.
        language: as in `Problem.language`; of any other than Python and C++, only words are counted.
    """
    counts: Counter[str] = Counter()
    for path in sorted(files):
        counts += _count(files[path], NAMES.get(get_language(path, language), ""))
    return {name: math.sqrt(counts[name]) for name in ("size", *COUNTED)}


def _count(text: str, language: str) -> Counter[str]:
    load = _GRAMMARS.get(language)
    if load is None or len(text) > LONGEST:
        return Counter(size=len(normalise_tokens(text, "")))
    cursor = Parser(load()).parse(normalise_line_ends(text).encode(errors="surrogatepass")).walk()
    counts: Counter[str] = Counter()
    is_inside = True
    while is_inside:
        node = cursor.node
        assert node is not None, "the cursor is within the tree"
        counts["size"] += node.is_named
        if name := _NAMES.get(node.type):
            counts[name] += node.is_named
        is_inside = cursor.goto_first_child() or cursor.goto_next_sibling()
        while not is_inside and cursor.goto_parent():
            is_inside = cursor.goto_next_sibling()
    return counts


_GRAMMARS: Mapping[str, Callable[[], Language]] = {"cpp": read_cpp, "python": read_python}
