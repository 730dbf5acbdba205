"""A loader for tests: small data sets, and whichever real modules a test hands to its candidates."""

from __future__ import annotations

import ctypes
import errno
import importlib
import os
import sys

from evograft_sandbox.functions import Preload, libc


def load(modules: tuple[str, ...] = (), items: int = 5) -> Preload:
    loaded = {name: importlib.import_module(name) for name in ("math", *modules)}
    datasets = {"numbers": list(range(1, items + 1)), "lists": [[value] for value in range(items)], "empty": []}
    return Preload(datasets, loaded, {name: module for name, module in loaded.items() if "." not in name})


def load_noisily() -> Preload:
    sys.stdout.write("loading" * 10_000)
    sys.stderr.write("loading" * 10_000)
    return load()


def load_doubling() -> Preload:
    return Preload({"numbers": [1, 2, 3]}, before_item=lambda item: 2 * item)


def load_never() -> Preload:
    while True:
        pass


def load_elsewhere(missing: str) -> Preload:
    """Makes this process look like one on a system that lacks something, before the layers are prepared."""
    if missing == "seccomp":
        load_library = ctypes.CDLL
        ctypes.CDLL = lambda name, **options: _refuse() if name else load_library(name, **options)
    if missing == "landlock":
        libc.syscall = _refuse
    if missing == "linux":
        sys.platform = "darwin"
        libc.prctl = libc.syscall = libc.capset_nothing = _refuse
        del os.memfd_create, os.pidfd_open
    return load()


def _refuse(*_arguments: object, **_options: object) -> None:
    raise OSError(errno.ENOSYS, "Function not implemented")


def load_nothing() -> None:
    return None


def fail() -> Preload:
    raise LookupError("the data is on another machine")
