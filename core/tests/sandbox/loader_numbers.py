"""A loader for tests: small data sets, and whichever real modules a test hands to its candidates."""

from __future__ import annotations

import importlib

from evograft.sandbox import Preload


def load(modules: tuple[str, ...] = (), items: int = 5) -> Preload:
    loaded = {name: importlib.import_module(name) for name in ("math", *modules)}
    datasets = {"numbers": list(range(1, items + 1)), "lists": [[value] for value in range(items)], "empty": []}
    return Preload(datasets=datasets, modules=loaded, names=dict(loaded))
