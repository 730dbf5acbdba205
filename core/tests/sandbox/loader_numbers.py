"""A loader for tests: small data sets, and whichever real modules a test hands to its candidates."""

from __future__ import annotations

import importlib

from evograft.sandbox import Preload


def load(modules: tuple[str, ...] = (), items: int = 5) -> Preload:
    loaded = {name: importlib.import_module(name) for name in ("math", *modules)}
    datasets = {"numbers": list(range(1, items + 1)), "lists": [[value] for value in range(items)], "empty": []}
    return Preload(datasets, loaded, {name: module for name, module in loaded.items() if "." not in name})


def load_noisily() -> Preload:
    print("loading" * 10_000)
    return load()


def load_doubling() -> Preload:
    return Preload({"numbers": [1, 2, 3]}, before_item=lambda item: 2 * item)


def load_never() -> Preload:
    print("still loading")
    while True:
        pass


def load_nothing() -> None:
    return None


def fail() -> Preload:
    raise LookupError("the data is on another machine")
