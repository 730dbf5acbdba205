"""A function as the text of a module: its source, with what it uses of the module around it. Nothing is pickled."""

from __future__ import annotations

import builtins
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any

from evograft.api import UserError
from evograft_program.python.definitions import Definition, globals_of, is_users, postpones_annotations, read_source
from evograft_program.python.global_names import find_global_names, find_submodules
from evograft_program.python.literals import write_literal


def collect_source(function: Callable[..., object], *, as_name: str) -> str:
    """Return the text of a module with a function, and with the imports, functions, classes and constants it uses.

    Args:
        function: defined by `def` in a file or in a cell of a notebook.
        as_name: what it is called there, next to its own name.

    Raises:
        UserError: it cannot be sent by its source; the message names what cannot, and what to do.
    """
    own = inspect.unwrap(function)
    if not isinstance(own, FunctionType) or own.__name__ == "<lambda>":
        raise UserError(f"evaluate={function!r}: give a function that is defined by def, or the path of a file")
    module = ModuleSource(own)
    module.define(own.__name__, own)
    return module.render(as_name)


class ModuleSource:
    """The text of a module that grows by what its definitions use.

    Args:
        root: the function that everything is for.
    """

    def __init__(self, root: FunctionType) -> None:
        self._root = root.__name__
        self._future = "from __future__ import annotations\n" if postpones_annotations(root) else ""
        self._imports: dict[str, None] = {}
        self._texts: dict[str, str] = {}
        """Constants and definitions by name, each behind what it uses."""
        self._values: dict[str, Any] = {}
        """What each name stands for."""

    def add(self, name: str, value: Any, *, text: str, user: str) -> None:
        """Add something under the name by which it is used.

        Args:
            name: of it.
            value: a module, a function, a class or a constant.
            text: of the definition that uses it.
            user: the name of that definition.
        """
        if name in self._values:
            self._require_same(name, value)
            return
        self._values[name] = value
        if isinstance(value, ModuleType):
            self._import_module(name, value, text, user=user)
        elif isinstance(value, FunctionType | type) and is_users(value.__module__):
            self.define(name, inspect.unwrap(value))
        elif home := _find_home(name, value):
            self._imports[f"from {home[0]} import {home[1]} as {name}"] = None
        else:
            self._texts[name] = f"{name} = {write_literal(value, name, user)}\n"

    def define(self, name: str, defined: Definition) -> None:
        """Add a function or a class behind what it uses, and the other name that it may have."""
        own = defined.__name__
        if own != name:
            self.add(own, defined, text="", user=self._root)
            self._texts[name] = f"{name} = {own}\n"
            return
        self._values[own] = defined
        text = read_source(defined, self._root)
        for used, value in _used_by(defined, text).items():
            self.add(used, value, text=text, user=own)
        self._texts[own] = text

    def render(self, as_name: str) -> str:
        """Return the text; the function that everything is for gets another name."""
        texts, own = dict(self._texts), self._root
        if own != as_name:
            if as_name in self._values:
                raise UserError(f"{own}() uses something called {as_name}, its own name when it is sent: rename that")
            renamed = re.sub(rf"\bdef\s+{own}\b", f"def {as_name}", texts[own], count=1)
            texts[own] = f"{renamed}\n\n{own} = {as_name}\n"
        return self._future + "\n".join([*self._imports, *(f"\n{text}" for text in texts.values())])

    def _require_same(self, name: str, value: Any) -> None:
        if self._values[name] is not value:
            raise UserError(f"{self._root}() needs two things called {name}, of different modules: rename one")

    def _import_module(self, name: str, module: ModuleType, text: str, *, user: str) -> None:
        whole = module.__name__
        if is_users(whole):
            raise UserError(
                f"{user}() uses the module {whole}, a file of yours: import what it needs from there by name, or give "
                "the evaluator as a file next to it"
            )
        self._imports[f"import {whole}" if name == whole else f"import {whole} as {name}"] = None
        for submodule in find_submodules(text, name, whole):
            self._imports[f"import {submodule}"] = None


def _used_by(defined: Definition, text: str) -> Mapping[str, Any]:
    """Return what a definition uses of its module, by name.

    Raises:
        UserError: something is not there.
    """
    names, used = globals_of(defined), {}
    for name in find_global_names(text, with_annotations=not postpones_annotations(defined)):
        if name.startswith("__") and name.endswith("__"):
            continue  # each module has its own
        if name in names and not _is_builtin(name, names[name]):
            used[name] = names[name]
        elif not hasattr(builtins, name):
            raise UserError(f"{defined.__name__}() uses {name}, which its module does not define: define it first")
    return {name: value for name, value in used.items() if value is not defined}


def _is_builtin(name: str, value: Any) -> bool:
    """Return whether a name stands for what is built in; notebooks wrap `open`."""
    return hasattr(builtins, name) and inspect.unwrap(value) is getattr(builtins, name)


def _find_home(name: str, value: Any) -> tuple[str, str] | None:
    """Return the installed module that has a value, and its name there; `None`: there is none."""
    makers = (value, type(value), type(getattr(value, "__self__", None)))
    homes = {str(getattr(each, "__module__", None) or "builtins") for each in makers} - {"builtins"}
    names = {name, str(getattr(value, "__name__", name))}
    return next(
        (
            (home, own)
            for home in sorted(homes)
            for own in sorted(names)
            if getattr(sys.modules.get(home), own, _MISSING) is value and not is_users(home)
        ),
        None,
    )


_MISSING = object()
