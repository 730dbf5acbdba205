"""Functions and classes as their authors wrote them."""

from __future__ import annotations
import __future__

import ast
import inspect
import linecache
import sys
import sysconfig
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from evograft.api import UserError

Definition = FunctionType | type


def read_source(defined: Definition, root: str) -> str:
    """Return the source of a definition, at the margin.

    Args:
        defined: a function or a class.
        root: the function that it is read for.

    Raises:
        UserError: it uses variables of a function around it, or its source is not known.
    """
    name = defined.__name__
    closed = sorted({free for code in _codes_of(defined) for free in code.co_freevars} - {"__class__"})
    if closed:
        raise UserError(
            f"{name}() uses {', '.join(closed)} of the function around it, which is not sent with it: define that in "
            "the module, or make it the default of a parameter"
        )
    try:
        return textwrap.dedent(inspect.getsource(defined))
    except (OSError, TypeError) as err:
        found = _find_class(defined) if isinstance(defined, type) else None
        if found is None:
            needed = "" if name == root else f", which {root}() uses,"
            raise UserError(
                f"the source of {name}{needed} cannot be read: define it in a file or in a cell of a notebook"
            ) from err
        return found


def globals_of(defined: Definition) -> Mapping[str, Any]:
    """Return what a definition sees of its module."""
    return defined.__globals__ if isinstance(defined, FunctionType) else vars(sys.modules[defined.__module__])


def postpones_annotations(defined: Definition) -> bool:
    """Return whether the module of a definition begins with `from __future__ import annotations`."""
    return any(code.co_flags & __future__.annotations.compiler_flag for code in _codes_of(defined))


def is_users(module: str | None) -> bool:
    """Return whether a module is one of the user's, not one that comes with Python or with a package."""
    if module is None or module == "__main__" or module not in sys.modules:
        return True
    file = getattr(sys.modules[module], "__file__", None)
    if file is None:
        return False  # built in
    places = {Path(sysconfig.get_path(each)).resolve() for each in ("stdlib", "platstdlib", "purelib", "platlib")}
    return places.isdisjoint(Path(file).resolve().parents)


def _codes_of(defined: Definition) -> Iterator[CodeType]:
    members = [defined] if isinstance(defined, FunctionType) else list(vars(defined).values())
    for each in members:
        inner = getattr(each, "fget", None) or getattr(each, "__func__", each)  # of properties and class methods
        function = inspect.unwrap(inner) if callable(inner) else None
        if isinstance(function, FunctionType):
            yield function.__code__


def _find_class(defined: type) -> str | None:
    """Return the source of a class of a notebook, whose module has no file, from where its methods are."""
    for code in _codes_of(defined):
        text = "".join(linecache.getlines(code.co_filename))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef) and node.name == defined.__name__:
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                return textwrap.dedent("\n".join(text.splitlines()[first - 1 : node.end_lineno]) + "\n")
    return None
