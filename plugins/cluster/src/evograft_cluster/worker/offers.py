"""Resources that a worker of Dask offers although nobody started it with them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from evograft_cluster.requirements import DOCKER
from evograft_cluster.worker.machine import find_resources

if TYPE_CHECKING:
    from distributed import Worker

FOUND = (DOCKER, "gpu")
"""Cores and memory are not among them: workers share those of a machine."""


async def offer_resources(dask_worker: Worker) -> None:
    """Tell the scheduler what this machine has; what the worker was started with stays."""
    found = await asyncio.to_thread(find_resources)
    told = dask_worker.state.total_resources
    if new := {name: found[name] for name in FOUND if name in found and name not in told}:
        await dask_worker.set_resources(**new)
