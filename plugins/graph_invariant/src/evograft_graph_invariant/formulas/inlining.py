"""A candidate as one expression: assignments, helper functions and early returns inlined.

`return estimate` is not a short formula if `estimate` took ten lines. What has loops, changes values in place or makes
functions of its own is no single expression; its size is that of its whole body, and the record says why.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from evograft_graph_invariant.formulas.nesting import MOST_LEVELS, is_deep_code
from evograft_graph_invariant.formulas.parser import FUNCTION, MAX_NODES
from evograft_graph_invariant.formulas.substitution import NotInlined, Scope, Substitution

MAX_STATEMENTS = 500
"""Statements read, those after an early return once for each way to them."""

MAX_DEPTH = 20
"""Helpers that call one another."""


@dataclass(frozen=True)
class Inlined:
    """A candidate's computation, as text and by size."""

    text: str
    nodes: int
    """AST nodes of the function's body, one return if it could be inlined."""
    expression: ast.expr | None = None
    """`None` where the program is no single expression."""
    note: str = ""
    """Why it is none; empty otherwise."""


DEEP = f"not inlined: nested more than {MOST_LEVELS} levels deep"


def inline(tree: ast.Module) -> Inlined:
    """Return the candidate as one expression or, if it is not one, as the statements of all its functions."""
    try:
        expression = _Inliner(tree).inline()
        if is_deep_code(expression):
            return _whole_body(tree, DEEP)
        text = ast.unparse(expression)
    except RecursionError:
        return _whole_body(tree, DEEP)
    except (NotInlined, ValueError) as err:  # f-strings within f-strings cannot always be written
        return _whole_body(tree, f"not inlined: {err}")
    return Inlined(text, 1 + count_nodes(expression), expression)


class _Inliner:
    def __init__(self, tree: ast.Module) -> None:
        self._module: Scope = {}
        self._statements = 0
        self._depth = 0
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef):
                self._module[statement.name] = statement
            elif self._run([statement], self._module) is not None:
                raise NotInlined("a return outside of a function")

    def inline(self) -> ast.expr:
        function = self._module.get(FUNCTION)
        if not isinstance(function, ast.FunctionDef) or len(function.args.args) != 1:
            raise NotInlined(f"{FUNCTION} takes the graph and nothing else")
        return self._call(function, [ast.Name("G", ast.Load())], {})

    def _call(self, function: ast.FunctionDef, arguments: list[ast.expr], named: dict[str, ast.expr]) -> ast.expr:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotInlined(f"{function.name} calls itself")
        scope = {**self._module, **self._parameters(function, arguments, named)}
        found = self._run(function.body, scope)
        if found is None:
            raise NotInlined(f"{function.name} may return nothing")
        self._depth -= 1
        return found

    def _parameters(self, function: ast.FunctionDef, arguments: list[ast.expr], named: dict[str, ast.expr]) -> Scope:
        parts = function.args
        if parts.vararg or parts.kwarg or parts.posonlyargs or parts.kwonlyargs or function.decorator_list:
            raise NotInlined(f"{function.name} has more than plain arguments")
        names = [argument.arg for argument in parts.args]
        defaults = dict(zip(reversed(names), reversed(parts.defaults), strict=False))
        given = {**dict(zip(names, arguments, strict=False)), **named}
        if len(arguments) > len(names) or not set(given) <= set(names) <= set(given) | set(defaults):
            raise NotInlined(f"{function.name} is called with other arguments than it takes")
        return {name: _kept(given[name] if name in given else defaults[name]) for name in names}

    def _run(self, statements: list[ast.stmt], scope: Scope) -> ast.expr | None:
        """Return the returned expression; `None` if the end is reached, with the scope as it is there."""
        for place, statement in enumerate(statements):
            self._statements += 1
            if self._statements > MAX_STATEMENTS:
                raise NotInlined(f"more than {MAX_STATEMENTS} statements")
            match statement:
                case ast.Return(value=ast.expr() as value):
                    return self._read(value, scope)
                case ast.If() if _returns(statement):
                    return self._fork(statement, statements[place + 1 :], scope)
                case ast.If():
                    self._merge(statement, scope)
                case ast.Pass() | ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    self._assign(statement, scope)
        return None

    def _fork(self, statement: ast.If, rest: list[ast.stmt], scope: Scope) -> ast.expr:
        """Follow both branches of an early return: the rest belongs to both."""
        test = self._read(statement.test, scope)
        ways = [self._run([*way, *rest], dict(scope)) for way in (statement.body, statement.orelse)]
        if ways[0] is None or ways[1] is None:
            raise NotInlined("the end is reached without a return")
        return _small(ast.IfExp(test, ways[0], ways[1]))

    def _merge(self, statement: ast.If, scope: Scope) -> None:
        """Both ways go on after it, with other values of some names."""
        test = self._read(statement.test, scope)
        ways: tuple[Scope, Scope] = (dict(scope), dict(scope))
        self._run(statement.body, ways[0])
        self._run(statement.orelse, ways[1])
        for name in ways[0].keys() | ways[1].keys():
            first, second = (way.get(name) for way in ways)
            if first is second:
                scope[name] = first
            elif isinstance(first, ast.expr) and isinstance(second, ast.expr):
                scope[name] = _small(ast.IfExp(test, first, second))
            else:
                scope[name] = None

    def _assign(self, statement: ast.stmt, scope: Scope) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                found = self._read(value, scope)
                for target in targets:
                    _bind(target, found, scope)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                _bind(target, self._read(value, scope), scope)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                before = self._read(ast.Name(name, ast.Load()), scope)
                _bind(target, _small(ast.BinOp(before, op, self._read(value, scope))), scope)
            case _:
                raise NotInlined(f"{type(statement).__name__} is no assignment")

    def _read(self, node: ast.expr, scope: Scope) -> ast.expr:
        found: ast.expr = Substitution(scope, self._call).visit(node)
        return _small(found)


def _bind(target: ast.expr, value: ast.expr, scope: Scope) -> None:
    match target, value:
        case ast.Name(id=name), _:
            scope[name] = _kept(value)
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for each, part in zip(targets, values, strict=True):
                _bind(each, part, scope)
        case _:
            raise NotInlined(f"an assignment to {ast.unparse(target)}")


def _kept(value: ast.expr) -> ast.expr:
    """Return a value that may stand in several places and still be the same."""
    match value:
        case (
            ast.GeneratorExp()
            | ast.Call(func=ast.Name(id="enumerate" | "filter" | "iter" | "map" | "reversed" | "zip"))
        ):
            raise NotInlined("what can be read only once is given a name")
    return value


def _small(expression: ast.expr) -> ast.expr:
    # A variable that is used twice, and again, doubles the formula with every line.
    if count_nodes(expression) > MAX_NODES:
        raise NotInlined(f"more than {MAX_NODES} nodes")
    return expression


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return) for node in ast.walk(statement))


def _whole_body(tree: ast.Module, note: str) -> Inlined:
    bodies = [_without_docstring(node.body) if isinstance(node, ast.FunctionDef) else [node] for node in tree.body]
    statements = [each for body in bodies for each in body if not isinstance(each, ast.Import | ast.ImportFrom)]
    text = "; ".join(map(ast.unparse, statements))
    return Inlined(text, sum(map(count_nodes, statements)), note=note)


def count_nodes(node: ast.AST) -> int:
    """All nodes, contexts included; of functions those of their bodies, without annotations and docstrings."""
    if isinstance(node, ast.FunctionDef):
        return sum(map(count_nodes, _without_docstring(node.body)))
    if isinstance(node, ast.AnnAssign):
        return 1 + count_nodes(node.target) + (count_nodes(node.value) if node.value else 0)
    return 1 + sum(map(count_nodes, ast.iter_child_nodes(node)))


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body[0]:
        case ast.Expr(value=ast.Constant(value=str())):
            return body[1:]
    return body
