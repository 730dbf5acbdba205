"""The replacement of names by what they stand for, without capturing names that mean something else there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

MUTATING = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "update",
    ]
)
"""Methods after whose call a name stands for something else than before."""


class NotInlined(Exception):  # noqa: N818 - a finding, not a mistake: the size is that of the whole body instead
    """The program is not a single expression."""


Inline = Callable[[ast.FunctionDef, list[ast.expr], dict[str, ast.expr]], ast.expr]
"""What a helper returns, given its positional and its named arguments."""

Scope = dict[str, "ast.expr | ast.FunctionDef | None"]
"""What names stand for: an expression, a helper, or (`None`) something only on one of two ways through the program."""


class Substitution(ast.NodeTransformer):
    """One expression, read in one scope. Trees that come out share parts with the scope and must not be changed."""

    def __init__(self, scope: Scope, inline: Inline) -> None:
        self._scope = scope
        self._inline = inline

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._scope:
            return node
        value = self._scope[node.id]
        if value is None:
            raise NotInlined(f"{node.id} is not always assigned")
        if isinstance(value, ast.FunctionDef):
            raise NotInlined(f"{node.id} is passed as a function")
        # The variable of a comprehension is renamed where it is assigned, too.
        return ast.Name(value.id, node.ctx) if isinstance(value, ast.Name) else value

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATING:
            raise NotInlined(f"{node.func.attr} changes what a name stands for")
        helper = self._scope.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if not isinstance(helper, ast.FunctionDef):
            return self.generic_visit(node)  # type: ignore[no-any-return]
        arguments = [self.visit(argument) for argument in node.args]
        if any(isinstance(argument, ast.Starred) for argument in node.args) or not all(k.arg for k in node.keywords):
            raise NotInlined("a helper is called with arguments of unknown number")
        named = {str(keyword.arg): self.visit(keyword.value) for keyword in node.keywords}
        return self._inline(helper, arguments, named)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        raise NotInlined(f"a function of its own: {ast.unparse(node)}")

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        raise NotInlined(f"an assignment within an expression: {ast.unparse(node)}")

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self._comprehension(node, node.generators)

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        return self._comprehension(node, node.generators)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self._comprehension(node, node.generators)

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        return self._comprehension(node, node.generators)

    def _comprehension(self, node: ast.expr, generators: list[ast.comprehension]) -> ast.expr:
        """Hide names of the scope that are variables of a comprehension, except from its first iterable."""
        renamed: Scope = {}
        for name in sorted(find_names(generator.target for generator in generators)):
            renamed[name] = ast.Name(self._fresh(name, node), ast.Load())
        first = self.visit(generators[0].iter)
        copied = Substitution({**self._scope, **renamed}, self._inline).generic_visit(node)
        copied.generators[0].iter = first
        return copied  # type: ignore[no-any-return]

    def _fresh(self, name: str, node: ast.expr) -> str:
        """Return the name itself, unless its scope mentions another thing of that name."""
        taken = find_names(
            value
            for known, value in self._scope.items()
            if isinstance(value, ast.expr) and not (isinstance(value, ast.Name) and value.id == known)
        )
        if name not in taken:
            return name
        taken |= find_names([node])
        return next(other for i in count(1) if (other := f"{name}_{i}") not in taken)

    def generic_visit(self, node: ast.AST) -> Any:
        """Copy the node: the candidate's own tree is read more than once."""
        return type(node)(**{name: self._copied(value) for name, value in ast.iter_fields(node)})

    def _copied(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._copied(item) for item in value]
        return self.visit(value) if isinstance(value, ast.AST) else value


def find_names(nodes: Iterable[ast.AST]) -> set[str]:
    return {inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}
