"""Numbers by the syntax tree of a text, for languages with a tree-sitter grammar that is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from evograft.text.parsing import ParserStuck, parse_text
from evograft_program.tuning.literals.notation import LITERAL, read_literal
from evograft_program.tuning.literals.placed import LiteralRole, PlacedLiteral

if TYPE_CHECKING:
    from tree_sitter import Language, Node

NUMBERS = frozenset(
    {"integer", "float", "number", "number_literal", "integer_literal", "int_literal", "float_literal"}
    | {"decimal_integer_literal", "decimal_floating_point_literal", "real_literal"}
)
BINDERS = frozenset(
    {"assignment", "assignment_expression", "assignment_pattern", "assignment_statement", "const_item", "const_spec"}
    | {"default_parameter", "typed_default_parameter", "keyword_argument", "named_argument", "named_expression"}
    | {"field_declaration", "field_definition", "public_field_definition", "field_initializer", "init_declarator"}
    | {"initializer_pair", "keyed_element", "let_declaration", "optional_parameter_declaration", "pair", "parameter"}
    | {"short_var_declaration", "static_item", "var_spec", "variable_declarator"}
)
"""Nodes that give a name a value."""
NAME_FIELDS = ("left", "name", "declarator", "pattern", "key", "field", "property", "designator")
VALUE_FIELDS = ("right", "value", "default_value")
WRAPPERS = frozenset(
    {"parenthesized_expression", "expression_list", "literal_element", "initializer_list"}
    | {"unary_operator", "unary_expression"}
)
"""What may stand around a number that is the whole of a value."""
ELEMENTS = frozenset({"subscript", "subscript_expression", "index_expression", "call_expression", "array_access"})
"""What a value is given to that is one of many, such as `matrix[i, -1] = -1`: the number belongs to a formula."""
POWERS = (b"**", b"^", b".^")
LOOP_FIELDS = ("initializer", "init")
TYPE_FIELDS = ("type", "length", "size")

COMPILED = frozenset(
    {"array_declarator", "array_type", "bitfield_clause", "case_clause", "case_pattern", "case_statement"}
    | {"dimensions_expr", "sized_declarator", "static_assert_declaration", "switch_label", "template_argument_list"}
    | {"template_parameter_list", "match_pattern", "preproc_if", "preproc_elif"}
)
"""Nodes whose numbers and names the compiler needs."""
BODIES = frozenset({"case_statement", "case_clause", "preproc_if", "preproc_elif"})
"""Those of them in which statements follow."""
SKIPPED = frozenset({"decorator", "attribute_item", "annotation", "enumerator", "string", "string_literal", "comment"})
"""Nodes that nobody tunes anything in."""
REAL_TYPE = re.compile(r"(?:long )?double(?: precision)?|float(?:32|64)?|real(?:\(.*\))?|f32|f64", re.IGNORECASE)

_WORD = re.compile(r"[^\W\d]\w*")
_MACRO = re.compile(rf"\s*\(?\s*[+-]?\s*({LITERAL})\s*\)?\s*(?=$|//|/\*)")


@dataclass(frozen=True)
class Surroundings:
    """What is known of a node from those above it."""

    name: str = ""
    whole: int = -1
    """The id of the node that is all of the value that the name is given."""
    exponent: int = -1
    """The id of the node that something is raised to."""
    is_real: bool = False
    """Whether the name is declared as a real number."""
    is_head: bool = False
    """Whether a loop's counter begins here."""


def read_tree(source: bytes, grammar: str) -> list[PlacedLiteral] | None:
    """Return the decimal numbers of a text, in order; `None`: the grammar is not installed, or fails on the text."""
    language = _find_language(grammar)
    if language is None:
        return None
    from tree_sitter import Parser

    try:
        root = parse_text(Parser(language), source).root_node
    except ParserStuck:
        return None
    compiled: set[str] = set()
    found = sorted(_walk(root, compiled), key=lambda each: each.start)
    return [replace(each, is_compiled_in=each.name in compiled) for each in found]


@cache
def _find_language(grammar: str) -> Language | None:
    try:
        module = import_module(grammar)
        from tree_sitter import Language

        return Language(module.language())
    except ImportError:
        return None


def _walk(root: Node, compiled: set[str]) -> Iterator[PlacedLiteral]:
    """Go down without recursion: programs may be nested as deep as they are long."""
    todo = [(root, Surroundings(), "")]
    while todo:
        node, around, declared = todo.pop()
        kind = node.type
        if kind in NUMBERS:
            yield from _read_number(node, around)
        elif kind == "preproc_def":
            yield from _read_macro(node)
        elif kind in COMPILED:
            compiled.update(_words_of_head(node))
            todo += [(child, around, "") for child in node.children if kind in BODIES and _is_statement(child)]
        elif kind not in SKIPPED:
            here = _type_of(node) or declared
            inside = _enter(node, around, here)
            # What is declared holds for the declarators right below, not for all that stands in a function.
            below = here if kind.endswith("declaration") else ""
            types, heads = _children_of(node, TYPE_FIELDS), _children_of(node, LOOP_FIELDS if _is_loop(node) else ())
            for child in node.named_children:
                if child.id in types:
                    compiled.update(_words(child))
                else:
                    todo.append((child, replace(inside, is_head=True) if child.id in heads else inside, below))


def _children_of(node: Node, fields: tuple[str, ...]) -> frozenset[int]:
    return frozenset(child.id for field in fields for child in node.children_by_field_name(field))


def _is_loop(node: Node) -> bool:
    return node.type.startswith("for_")


def _enter(node: Node, around: Surroundings, declared: str) -> Surroundings:
    """Return what holds below a node."""
    if node.type in BINDERS:
        return _enter_binder(node, around, declared)
    if around.whole == node.id and node.type in WRAPPERS:
        parts = [child for child in node.named_children if child.type != "operator"]
        return replace(around, whole=parts[0].id if len(parts) == 1 else -1)
    # Not every grammar has a field for the operator.
    if node.type.endswith(("expression", "operator")) and any(child.text in POWERS for child in node.children[1:-1]):
        return replace(around, exponent=node.children[-1].id)
    return around


def _enter_binder(node: Node, around: Surroundings, declared: str) -> Surroundings:
    parts = node.named_children
    name = _first_field(node, NAME_FIELDS) or (parts[0] if parts else None)
    value = _first_field(node, VALUE_FIELDS) or (parts[-1] if parts else None)
    operator = node.child_by_field_name("operator")
    if name is None or value is None or name.id == value.id:
        return around
    if name.type == "typed_expression":
        declared = (name.named_children[-1].text or b"").decode(errors="replace")
        name = name.named_children[0]
    words = _WORD.findall((name.text or b"").partition(b"(")[0][-200:].decode(errors="replace"))
    is_plain = (operator is None or operator.text in {b"=", b":="}) and name.type not in ELEMENTS
    return Surroundings(
        words[-1] if words else "",
        whole=value.id if is_plain and not around.is_head else -1,
        is_real=REAL_TYPE.fullmatch(declared) is not None,
        is_head=around.is_head,
    )


def _first_field(node: Node, fields: tuple[str, ...]) -> Node | None:
    return next((child for field in fields if (child := node.child_by_field_name(field)) is not None), None)


def _type_of(node: Node) -> str:
    declared = node.child_by_field_name("type") if node.named_child_count > 1 else None
    return (declared.text or b"").decode(errors="replace") if declared is not None else ""


def _read_number(node: Node, around: Surroundings) -> Iterator[PlacedLiteral]:
    text = (node.text or b"").decode(errors="replace")
    digits = text.lstrip("+-")
    is_whole = around.whole == node.id
    literal = read_literal(digits, is_real=is_whole and around.is_real)
    if literal is None:
        return
    role = LiteralRole.VALUE if is_whole else LiteralRole.TERM
    if around.exponent == node.id:
        role = LiteralRole.EXPONENT
    yield PlacedLiteral(node.start_byte + len(text) - len(digits), node.end_byte, literal, role, around.name)


def _read_macro(node: Node) -> Iterator[PlacedLiteral]:
    """Read `#define ALPHA 0.5`, whose value is a text to the grammar."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None or not (value.text or b"").isascii():
        return
    found = _MACRO.match((value.text or b"").decode())
    literal = read_literal(found[1]) if found else None
    if found and literal:
        start, end = (value.start_byte + place for place in found.span(1))
        yield PlacedLiteral(start, end, literal, LiteralRole.VALUE, (name.text or b"").decode(errors="replace"))


def _words_of_head(node: Node) -> list[str]:
    """Return the names that a node of `COMPILED` mentions, without those of the statements in it."""
    parts = [child for child in node.named_children if not (node.type in BODIES and _is_statement(child))]
    return [word for part in parts for word in _words(part)]


def _words(node: Node) -> list[str]:
    return _WORD.findall((node.text or b"").decode(errors="replace"))


def _is_statement(node: Node) -> bool:
    return node.type.endswith(("statement", "declaration", "block", "definition", "expression_statement"))
