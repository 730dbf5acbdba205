"""A style of writing terms: what the names, operations and functions of a formula become."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evograft_graph_invariant.conjectures.bounds.terms import parse_term


@dataclass(frozen=True)
class TermStyle:
    """Templates with a place for each operand."""

    name: Callable[[str], str]
    """Writes an invariant."""
    number: str
    operators: Mapping[type[ast.operator], str]
    negative: str
    group: str
    """Around a sum that is a factor or the base of a power."""
    functions: Mapping[str, str]


def write_term(term: str, style: TermStyle) -> str:
    """Return a term in a style."""
    return _write(parse_term(term), style)


def _write(node: ast.expr, style: TermStyle) -> str:
    match node:
        case ast.Name(id=name):
            return style.name(name)
        case ast.Constant(value=value):
            return style.number.format(repr(value))
        case ast.UnaryOp(operand=operand):
            return style.negative.format(_write_factor(operand, style))
        case ast.BinOp(left=left, op=ast.Mult() | ast.Pow() as op, right=right):
            return style.operators[type(op)].format(_write_factor(left, style), _write_factor(right, style))
        case ast.BinOp(left=left, op=op, right=right):
            return style.operators[type(op)].format(_write(left, style), _write(right, style))
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return style.functions[name].format(_write(argument, style))
    raise AssertionError(ast.dump(node))


def _write_factor(node: ast.expr, style: TermStyle) -> str:
    text = _write(node, style)
    is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))
    return style.group.format(text) if is_sum else text
