"""The names of a module that a definition in it uses."""

from __future__ import annotations

import ast
import symtable
import sys
from collections.abc import Iterator


def find_global_names(text: str, *, with_annotations: bool) -> tuple[str, ...]:
    """Return the names that a definition looks up in its module or among the built-in ones, in alphabetical order.

    Args:
        text: of the definition.
        with_annotations: whether annotations are evaluated when it is executed.
    """
    tree = ast.parse(text)
    if not with_annotations:
        tree = ast.fix_missing_locations(_WithoutAnnotations().visit(tree))
    table = symtable.symtable(ast.unparse(tree), "definition", "exec")
    defined = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned()}
    return tuple(sorted(set(_global_names(table)) - defined))


def find_submodules(text: str, name: str, module: str) -> tuple[str, ...]:
    """Return the modules within a package that a definition reaches through the name of the package."""
    chains = (_chain(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute))
    found = {f"{module}.{rest}" for first, rest in chains if first == name}
    return tuple(sorted(each for each in found if each in sys.modules))


def _global_names(table: symtable.SymbolTable) -> Iterator[str]:
    is_module = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_module or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _global_names(child)


def _chain(node: ast.Attribute) -> tuple[str, str]:
    """Return `("a", "b.c")` for `a.b.c`; the first is empty where it does not begin with a name."""
    names = [node.attr]
    value = node.value
    while isinstance(value, ast.Attribute):
        names.append(value.attr)
        value = value.value
    return (value.id if isinstance(value, ast.Name) else ""), ".".join(reversed(names))


class _WithoutAnnotations(ast.NodeTransformer):
    """Removes annotations."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)
