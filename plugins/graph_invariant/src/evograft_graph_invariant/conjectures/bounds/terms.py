"""Terms: small formulas of invariants, as texts that are read into values, one a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

import numpy as np

from evograft_graph_invariant.conjectures.invariants.catalogue import INVARIANT_NAMES
from evograft_graph_invariant.graphs.features import Vector

ONE = "1"
"""The term of a constant."""

FUNCTIONS = {"sqrt": np.sqrt, "log": np.log, "floor": np.floor, "ceil": np.ceil}

_OPERATIONS = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}


def compute_term(text: str, columns: Mapping[str, Vector]) -> Vector:
    """Return the values of a term; a division by zero gives no finite value."""
    with np.errstate(all="ignore"):
        values = _compute(parse_term(text), columns)
    return np.broadcast_to(values, next(iter(columns.values())).shape)


@lru_cache(maxsize=100_000)
def list_invariants(text: str) -> frozenset[str]:
    """Return the names of the invariants in a term."""
    return frozenset(node.id for node in ast.walk(parse_term(text)) if isinstance(node, ast.Name)) - set(FUNCTIONS)


@lru_cache(maxsize=100_000)
def count_symbols(text: str) -> int:
    """Return how many numbers and operations a term has, and twice the number of its invariants."""
    nodes = list(ast.walk(parse_term(text)))
    return sum(isinstance(node, (ast.Name, ast.Constant, ast.BinOp)) for node in nodes) + len(list_invariants(text))


@lru_cache(maxsize=100_000)
def parse_term(text: str) -> ast.expr:
    """Return the syntax tree of a term.

    Raises:
        ValueError: it is no formula of invariants.
    """
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"{text!r} is not a formula") from error
    _require_formula(tree, text)
    return tree


def _require_formula(node: ast.expr, text: str) -> None:
    match node:
        case ast.Name(id=name) if name in INVARIANT_NAMES:
            return
        case ast.Constant(value=int() | float()):
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            _require_formula(left, text)
            _require_formula(right, text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _require_formula(operand, text)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            _require_formula(argument, text)
        case _:
            raise ValueError(f"{ast.unparse(node)!r} in {text!r} is neither an invariant nor an operation")


def _compute(node: ast.expr, columns: Mapping[str, Vector]) -> Vector:
    match node:
        case ast.Name(id=name):
            return columns[name]
        case ast.Constant(value=int() | float() as value):
            return np.float64(value)  # type: ignore[return-value] # is broadcast at the end
        case ast.BinOp(left=left, op=op, right=right):
            found: Vector = _OPERATIONS[type(op)](_compute(left, columns), _compute(right, columns))
            return found
        case ast.UnaryOp(operand=operand):
            return -_compute(operand, columns)
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            values: Vector = FUNCTIONS[name](_compute(argument, columns))
            return values
    raise AssertionError(ast.dump(node))


def split_sum(text: str) -> dict[str, Fraction]:
    """Return a formula as a sum of terms with rational coefficients; the constant is that of the term `1`."""
    total: dict[str, Fraction] = {}
    for coefficient, term in _split(parse_term(text), Fraction(1)):
        total[term] = total.get(term, Fraction(0)) + coefficient
    return {term: coefficient for term, coefficient in total.items() if coefficient}


def _split(node: ast.expr, factor: Fraction) -> Iterator[tuple[Fraction, str]]:
    match node:
        case ast.Constant(value=int() | float() as value):
            yield factor * Fraction(str(value)), ONE
        case ast.UnaryOp(operand=operand):
            yield from _split(operand, -factor)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _split(left, factor)
            yield from _split(right, factor)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from _split(left, factor)
            yield from _split(right, -factor)
        case ast.BinOp(left=ast.Constant(value=int() | float() as value), op=ast.Mult(), right=right):
            yield from _split(right, factor * Fraction(str(value)))
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int() | float() as value)):
            yield from _split(left, factor / Fraction(str(value)))
        case _:
            yield factor, ast.unparse(node)
