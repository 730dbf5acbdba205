"""Limits on one candidate."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_hookspecs import Value

Seconds = Annotated[float, Field(strict=True, gt=0)]


class FunctionLimits(Value):
    """Bounds on one candidate, over one whole data set."""

    cpu_seconds: Seconds = 2.0
    wall_seconds: Seconds = 4.0
    """Ends what sleeps. Time in which it was ready to run while others had the cores does not count, so that what
    computes never gets here, however busy the machine is."""
    memory_mb: Annotated[int, Field(strict=True, ge=1)] = 256
    """Above what the worker maps when it forks: libraries and data do not count."""
