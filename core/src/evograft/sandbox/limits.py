"""What one candidate may use."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_hookspecs import Value

Seconds = Annotated[float, Field(strict=True, gt=0)]


class FunctionLimits(Value):
    """Bounds on one candidate, over one whole data set."""

    cpu_seconds: Seconds = 2.0
    wall_seconds: Seconds = 4.0
    """A guard far above: it ends what sleeps or waits, and is not reached by what computes."""
    memory_mb: Annotated[int, Field(strict=True, ge=1)] = 256
    """Above what the worker maps when it forks: libraries and data do not count."""
