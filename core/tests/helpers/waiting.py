"""Waiting for what another process does and does not tell."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any, TypeVar

Found = TypeVar("Found")

PATIENCE = 300.0
"""Seconds; so long waits a test that fails."""


def wait_until(
    condition: Callable[[], Found], process: subprocess.Popen[Any] | None = None, *, every: float = 0.02
) -> Found:
    """What the condition returns as soon as that is true. It fails at once when the process that is to do it ends.

    Between its looks it leaves the processor to those that it waits for.
    """
    end = time.monotonic() + PATIENCE
    while True:
        has_ended = process is not None and process.poll() is not None
        if found := condition():
            return found
        assert not has_ended, "the process has ended, and it did not come to pass"
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(every)
