"""Sandboxes for tests, and a look at what they leave behind."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from evograft_sandbox.functions import FunctionLimits, PythonSandbox
from evograft_sandbox.functions.worker import MARKER

LOADERS = Path(__file__).with_name("loader_numbers.py")
QUICK = FunctionLimits(cpu_seconds=0.3, wall_seconds=1.2, memory_mb=256)


@pytest.fixture(scope="module")
def make_sandbox() -> Iterator[Callable[..., PythonSandbox]]:
    """Makes sandboxes over `loader_numbers.py`, which are closed when the module's tests are done."""
    with contextlib.ExitStack() as stack:

        def make(loader: str = "load", **options) -> PythonSandbox:
            options = {"limits": QUICK, **options}
            return stack.enter_context(PythonSandbox(f"{LOADERS}:{loader}", **options))

        yield make


@pytest.fixture
def processes_of() -> Callable[[str], list[psutil.Process]]:
    """Finds all processes that descend from a worker, wherever they are attached now."""

    def find(marker: str) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get(MARKER) == marker:
                    found.append(process)
        return found

    return find
