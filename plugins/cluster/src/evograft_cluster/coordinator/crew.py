"""The workers of a Dask scheduler, and which of them offer what an evaluation needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from distributed import Client

from evograft_cluster.requirements import DOCKER
from evograft_cluster.worker.offers import FOUND, offer_resources

ADVICE = {DOCKER: "start one on a machine where a Docker engine answers", "gpu": "start one on a machine with GPUs"}

Identity = tuple[str, str]
"""Address and folder of a worker: one that has started again may have the address of its predecessor."""


class Crew:
    """Workers as they were when they were last looked at.

    Args:
        resources: what an evaluation needs, by the names that workers offer.
    """

    def __init__(self, resources: Mapping[str, float]) -> None:
        self._resources = resources
        self._asked: frozenset[Identity] = frozenset()
        self._fitting: frozenset[Identity] = frozenset()
        self._lacking = ""
        self.is_unfit = False
        """Whether workers are there, and none offers what is needed."""
        self.is_replaced = False
        """Whether some offer it, and none of them did before."""

    @property
    def trouble(self) -> str:
        """Return why nobody evaluates."""
        return self._lacking if self.is_unfit else "no worker is there"

    def count_threads(self, client: Client) -> int:
        """Return how many evaluations there can be at a time."""
        if not self._resources:
            return sum(client.nthreads().values())
        return sum(info["nthreads"] for info in self.find_fitting(client).values())

    def find_fitting(self, client: Client) -> dict[str, Mapping[str, Any]]:
        """Return what the scheduler says of each worker that offers what is needed, by its address."""
        infos = _infos_of(client)
        if self._have_them_offer(client, infos):
            infos = _infos_of(client)
        fitting = {worker: info for worker, info in infos.items() if self._offers(info)}
        self.is_replaced = bool(fitting) and self._fitting.isdisjoint(_identities(fitting))
        self._fitting = _identities(fitting)
        self.is_unfit = bool(infos) and not fitting
        self._lacking = self._find_lacking(infos) if self.is_unfit else ""
        return fitting

    def _have_them_offer(self, client: Client, infos: Mapping[str, Mapping[str, Any]]) -> bool:
        """Have workers that are new look at their machines, where it matters; return whether there were any."""
        if not any(name in FOUND for name in self._resources):
            return False
        new = _identities(infos) - self._asked
        if new:
            client.run(offer_resources, workers=sorted(worker for worker, _ in new), on_error="return")
            self._asked |= new
        return bool(new)

    def _offers(self, info: Mapping[str, Any]) -> bool:
        offered = info["resources"]
        return all(offered.get(name, 0) >= wanted for name, wanted in self._resources.items())

    def _find_lacking(self, infos: Mapping[str, Mapping[str, Any]]) -> str:
        """Return which resource nobody offers, and what to do; it may be that nobody offers all of them."""
        most = {name: max(info["resources"].get(name, 0) for info in infos.values()) for name in self._resources}
        short = [name for name, wanted in self._resources.items() if most[name] < wanted] or list(self._resources)
        named = ", ".join(f"{name}={self._resources[name]:g}" for name in short)
        advice = ADVICE.get(short[0], "start one")
        return f'no worker offers {named}, which an evaluation needs: {advice}, or with --resources "{named}"'


def _identities(infos: Mapping[str, Mapping[str, Any]]) -> frozenset[Identity]:
    return frozenset((worker, info["local_directory"]) for worker, info in infos.items())


def _infos_of(client: Client) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = client.scheduler_info(n_workers=-1)["workers"]
    return found
