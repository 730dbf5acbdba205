"""Imports before an evaluation: what evaluator and start program need, which a fork server has imported already."""

from __future__ import annotations

import importlib
import os
import sys

from evograft_program.worker.evaluation import SHIMS


def import_all(arguments: list[str]) -> None:
    """Import what can be imported; the rest fails again where it is needed, and is reported there.

    Args:
        arguments: folders to import from, divided by `:`, and modules, or `module:name` for what may be one.
    """
    own = list(sys.path)
    sys.path[:] = [*arguments[0].split(os.pathsep), *own, SHIMS]
    for entry in arguments[1:]:
        _import(*entry.partition(":")[::2])
    if "numpy" in sys.modules:
        _import("numpy.random")  # which NumPy 2 loads late: its generator is to be seeded
    sys.path[:] = own


def _import(module: str, name: str = "") -> None:
    """Import a module, and as `from module import name` does, a module of that name where it has nothing else of it."""
    try:
        found = importlib.import_module(module)
        if name and not hasattr(found, name):
            importlib.import_module(f"{module}.{name}")
    except BaseException:  # noqa: BLE001 - an import may raise anything, and exit
        return
