"""Formulas in the words of SymPy's process: nested lists, in which what SymPy has no word for is a name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from evograft_graph_invariant.formulas.parser import BINARY, NUMPY_FUNCTIONS, UNARY_FUNCTIONS, Expr
from evograft_graph_invariant.graphs.vocabulary import SPELLINGS

Tree = list[object]

LARGEST = 2**53
"""Whole numbers from here on are not exact as floats."""

_FUNCTIONS = {
    **{f"math.{name}": name for name in UNARY_FUNCTIONS},
    **{f"np.{name}": name for name in NUMPY_FUNCTIONS},
    "abs": "abs",
}
_ATOMS = (ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.List, ast.ListComp)


def tree_of_expr(expr: Expr) -> Tree:
    if expr.operation == "column":
        return ["column", expr.name]
    if expr.operation == "constant":
        return ["constant", expr.value]
    return [expr.operation.rpartition(".")[2], *map(tree_of_expr, expr.arguments)]


def tree_of_expression(node: ast.expr) -> Tree:
    """Return the arithmetic of an expression; calls of other functions, comprehensions and the like are names."""
    read = _READERS.get(type(node))
    return (read(node) if read else None) or _name(node)


def _operation(node: Any) -> Tree | None:
    if type(node.op) not in BINARY:
        return None
    return [BINARY[type(node.op)], tree_of_expression(node.left), tree_of_expression(node.right)]


def _sign(node: Any) -> Tree | None:
    match node.op:
        case ast.USub():
            return ["neg", tree_of_expression(node.operand)]
        case ast.UAdd():
            return tree_of_expression(node.operand)
    return None


def _choice(node: Any) -> Tree:
    return ["where", _name(node.test), tree_of_expression(node.body), tree_of_expression(node.orelse)]


def _constant(node: Any) -> Tree | None:
    value = node.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST
    return ["constant", float(value)] if is_number else None


def _call(node: Any) -> Tree | None:
    spelling = ast.unparse(node)
    if spelling in SPELLINGS:
        return ["column", SPELLINGS[spelling]]
    function = ast.unparse(node.func)
    if node.keywords or not node.args:
        return None
    if len(node.args) == 1 and function in _FUNCTIONS:
        return [_FUNCTIONS[function], tree_of_expression(node.args[0])]
    if len(node.args) > 1 and function in ("min", "max"):
        return [function, *map(tree_of_expression, node.args)]
    return None


_READERS: dict[type[ast.expr], Callable[[Any], Tree | None]] = {
    ast.BinOp: _operation,
    ast.UnaryOp: _sign,
    ast.IfExp: _choice,
    ast.Constant: _constant,
    ast.Call: _call,
}


def _name(node: ast.expr) -> Tree:
    text = ast.unparse(node)
    return ["name", text if isinstance(node, _ATOMS) else f"({text})"]
