"""The names that a candidate finds: harmless builtins, its own import, and what the plugin adds."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from evograft_sandbox.functions.preload import Preload

OFFERED = """
    abs all any bool bytes callable chr complex dict divmod enumerate filter float frozenset hash hex int isinstance
    issubclass iter len list map max min next object ord pow range repr reversed round set slice sorted str sum tuple
    zip True False None NotImplemented Ellipsis
    BaseException Exception ArithmeticError AssertionError AttributeError FloatingPointError ImportError IndexError
    KeyError LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OverflowError RecursionError
    RuntimeError StopIteration TypeError UnboundLocalError ValueError ZeroDivisionError Warning RuntimeWarning
    UserWarning
""".split()  # noqa: SIM905 - a word per line would hide the list


def candidate_globals(preload: Preload) -> dict[str, Any]:
    """Return a fresh namespace; `builtins` itself is out of reach."""
    offered = {name: getattr(builtins, name) for name in OFFERED}
    offered |= {"print": _print, "__import__": _importer(preload.modules), "__build_class__": builtins.__build_class__}
    return {"__name__": "candidate", "__builtins__": offered, **preload.names}


def _print(*_values: object, **_options: object) -> None:
    """Drop what a candidate prints, at no cost."""


def _importer(modules: Mapping[str, Any]) -> Callable[..., Any]:
    def import_module(
        name: str, _globals: object = None, _locals: object = None, fromlist: object = (), level: int = 0
    ) -> Any:
        if name == "__future__":
            return SimpleNamespace(annotations=None)
        module = None if level else _find(modules, name)
        if module is None:
            raise ImportError(f"{name!r} cannot be imported here, only {', '.join(sorted(modules)) or 'nothing'}")
        if fromlist:
            return module
        first, *rest = name.split(".")
        return modules[first] if first in modules else _nested(rest, module)

    return import_module


def _find(modules: Mapping[str, Any], name: str) -> Any | None:
    if name in modules:
        return modules[name]
    first, *rest = name.split(".")
    found = modules.get(first)
    for part in rest:
        found = getattr(found, part, None)
    return found


def _nested(parts: list[str], module: Any) -> Any:
    """Return what `import a.b.c` binds to `a` if only `a.b.c` is offered."""
    for part in reversed(parts):
        module = SimpleNamespace(**{part: module})
    return module
