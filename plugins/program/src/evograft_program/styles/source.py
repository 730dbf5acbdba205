"""The source of an evaluator, read once: its functions, imports and literal texts at a glance."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evograft.api import UserError

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class DefinedFunction:
    """A function at the top level of a module."""

    node: FunctionNode

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def parameters(self) -> tuple[ast.arg, ...]:
        """Return those that can be given by position."""
        return (*self.node.args.posonlyargs, *self.node.args.args)

    @property
    def signature(self) -> str:
        """Return the name with the first parameter and the others that have to be given."""
        required = max(1, len(self.parameters) - len(self.node.args.defaults))
        return f"{self.name}({', '.join(parameter.arg for parameter in self.parameters[:required])})"


@dataclass(frozen=True)
class EvaluatorSource:
    """A Python file, parsed and not imported."""

    path: Path
    tree: ast.Module

    @cached_property
    def functions(self) -> tuple[DefinedFunction, ...]:
        return tuple(DefinedFunction(node) for node in top_level(self.tree.body) if isinstance(node, FunctionNode))

    @cached_property
    def imported(self) -> dict[str, str]:
        """Return the names that `from module import name` brings in, each with its module."""
        return {
            alias.asname or alias.name: node.module
            for node in top_level(self.tree.body)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }

    @cached_property
    def texts(self) -> frozenset[str]:
        """Return all literal texts."""
        nodes = ast.walk(self.tree)
        return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))

    @cached_property
    def is_script(self) -> bool:
        """Return whether it does something when it is executed, with arguments or without."""
        guarded = any(isinstance(node, ast.If) and is_main_guard(node.test) for node in self.tree.body)
        return guarded or any(isinstance(node, ast.Attribute) and node.attr == "argv" for node in ast.walk(self.tree))


def read_module(path: Path) -> EvaluatorSource:
    """Parse a Python file.

    Raises:
        UserError: it cannot be read, or is not Python.
    """
    try:
        return EvaluatorSource(path, ast.parse(path.read_bytes(), filename=str(path)))
    except OSError as err:
        raise UserError(f"{path}: {err.strerror or err}") from err
    except SyntaxError as err:
        raise UserError(f"{path}, line {err.lineno or 1}: not Python ({err.msg}); correct it, or give --style") from err
    except (ValueError, RecursionError, MemoryError) as err:
        raise UserError(f"{path}: not Python ({err}); correct it, or give --style") from err


def top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module that run when it is imported, also those in its `if`, `try` and `with`."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from () if _never_runs(node.test) else top_level(node.body)
            yield from top_level(node.orelse)
        elif isinstance(node, ast.Try):
            for part in (node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody):
                yield from top_level(part)
        elif isinstance(node, ast.With):
            yield from top_level(node.body)


def _never_runs(test: ast.expr) -> bool:
    return is_main_guard(test) or ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def is_main_guard(test: ast.expr) -> bool:
    """Return whether a condition is `__name__ == "__main__"`."""
    return isinstance(test, ast.Compare) and {"__name__", "'__main__'"} == {
        ast.unparse(test.left),
        *(ast.unparse(each) for each in test.comparators),
    }
