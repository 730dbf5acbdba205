"""Where the numbers of a C++ program stand, and what is known of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evograft_ahc.cpp.tree import Match, find_matches, parse_cpp, text_of
from evograft_ahc.search.tuning.literal import LITERAL, NumberLiteral, read_literal
from evograft_ahc.search.tuning.marks import TuningMark, read_mark
from evograft_ahc.search.tuning.name_usage import NameUsage, find_all, find_usage

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(declaration
    type: (_) @type
    declarator: (init_declarator declarator: (identifier) @name value: (_) @value)) @declaration
(field_declaration type: (_) @type declarator: (field_identifier) @name default_value: (_) @value) @declaration
(optional_parameter_declaration type: (_) @type declarator: (identifier) @name default_value: (_) @value) @declaration
(enumerator name: (identifier) @name value: (_) @value) @code
(preproc_def name: (identifier) @name value: (_) @macro)
(for_statement initializer: (declaration) @counter)
(number_literal) @number
(comment) @comment
(array_declarator size: (_) @compiled)
(template_argument_list) @compiled
(case_statement value: (_) @compiled)
(bitfield_clause) @compiled
(static_assert_declaration) @compiled
(assignment_expression left: (identifier) @changed)
(update_expression argument: (identifier) @changed)
(binary_expression left: (_) @left operator: ["<" ">" "<=" ">=" "-" "/"] right: (_) @right)
"""

REAL_TYPES = ("double", "float", "long double")
BRACKETS = ("argument_list", "initializer_list", "parenthesized_expression")
"""What may stand around a value."""
ARITHMETIC = ("binary_expression", "parenthesized_expression", "unary_expression")
_CONSTANT = re.compile(r"\b(const|constexpr|constinit)\b")
_MACRO = re.compile(rf"\s*\(?\s*({LITERAL})\s*\)?\s*(?=$|//|/\*)")


@dataclass(frozen=True)
class FoundNumber:
    """A number and its surroundings."""

    start: int
    end: int
    """Bytes in the source."""
    line: int
    """Counted from 1."""
    literal: NumberLiteral
    name: str = ""
    """The variable or macro whose first value it is, or is part of."""
    is_whole: bool = False
    """Whether it is all of that value."""
    is_constant: bool = False
    """Whether that is declared as a constant."""
    is_compiled_in: bool = False
    """Whether the compiler may need that, as the size of an array, or computes such a size from it."""
    is_code: bool = False
    """Whether an enumeration names it."""
    is_changed: bool = False
    """Whether something else is assigned to the variable later."""
    is_of_a_clock: bool = False
    """Whether a time is compared with it, or is a share of it."""


@dataclass(frozen=True)
class ProgramNumbers:
    """What is found in a program, in the order of the text."""

    found: tuple[FoundNumber, ...]
    marks: tuple[TuningMark, ...]


def find_numbers(source: bytes) -> ProgramNumbers:
    """Find all decimal numbers but those in text and comments, and the marks in comments."""
    matches = find_matches(parse_cpp(source), QUERY)
    usage = find_usage(matches)
    counters = frozenset(node.id for node in find_all(matches, "counter"))
    numbers = {number.start: number for node in find_all(matches, "number") if (number := _read(node))}
    for match in matches:
        numbers |= {number.start: number for number in _in_match(match, usage, counters)}
    # A macro's value reaches to the end of its line, comments included.
    comments = [*find_all(matches, "comment"), *find_all(matches, "macro")]
    marks = [mark for node in comments if (mark := read_mark(text_of(node), node.start_point[0] + 1))]
    return ProgramNumbers(
        tuple(numbers[start] for start in sorted(numbers)), tuple(sorted(marks, key=lambda mark: mark.line))
    )


def _in_match(match: Match, usage: NameUsage, counters: frozenset[int]) -> Iterator[FoundNumber]:
    """Yield the numbers of a value or a macro, with what is known of it; a loop's counter is not a value."""
    if "value" in match and not any(node.id in counters for node in match.get("declaration", ())):
        yield from _in_value(match, usage)
    elif "macro" in match:
        yield from _in_macro(match, usage)


def _in_value(match: Match, usage: NameUsage) -> Iterator[FoundNumber]:
    """Find the numbers of a value that is a number, or arithmetic with some."""
    name, value = text_of(match["name"][0]), match["value"][0]
    is_constant = "declaration" not in match or _is_constant(match["declaration"][0], match["name"][0])
    kind = text_of(match["type"][0]) if "type" in match else ""
    while value.type in BRACKETS and value.named_child_count == 1:
        value = value.named_children[0]
    is_whole = value.type == "number_literal"
    for node in _numbers_of(value):
        number = _read(node, is_real=is_whole and kind in REAL_TYPES)
        if number is not None:
            yield replace(
                _used(number, name, usage), is_whole=is_whole, is_constant=is_constant, is_code="code" in match
            )


def _in_macro(match: Match, usage: NameUsage) -> Iterator[FoundNumber]:
    node = match["macro"][0]
    value = _MACRO.match(text_of(node))
    literal = read_literal(value[1]) if value else None
    if value and literal:
        start, end = (node.start_byte + place for place in value.span(1))
        number = FoundNumber(start, end, node.start_point[0] + 1, literal, is_whole=True, is_constant=True)
        yield _used(number, text_of(match["name"][0]), usage)


def _used(number: FoundNumber, name: str, usage: NameUsage) -> FoundNumber:
    return replace(
        number,
        name=name,
        is_compiled_in=name in usage.compiled,
        is_changed=name in usage.changed,
        is_of_a_clock=name in usage.of_a_clock,
    )


def _read(node: Node, *, is_real: bool = False) -> FoundNumber | None:
    literal = read_literal(text_of(node), is_real=is_real)
    if literal is None:
        return None
    return FoundNumber(node.start_byte, node.end_byte, node.start_point[0] + 1, literal)


def _numbers_of(value: Node) -> Iterator[Node]:
    """Not those that are arguments of functions or indices."""
    todo = [value]
    while todo:
        node = todo.pop()
        if node.type == "number_literal":
            yield node
        elif node.type in ARITHMETIC:
            todo += node.named_children


def _is_constant(declaration: Node, name: Node) -> bool:
    text = declaration.text or b""
    return _CONSTANT.search(text[: name.start_byte - declaration.start_byte][:200].decode(errors="replace")) is not None
