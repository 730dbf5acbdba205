"""Fixtures for tests on several hosts: a network, a Slurm; what is missing is a reason to skip."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cluster_runs import ClusterRuns
from database_host import DatabaseHost
from hosts import Network, find_obstacle
from private_server import find_programs
from slurm import Slurm, find_missing


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    """A network without hosts."""
    if (obstacle := find_obstacle()) is not None:
        pytest.skip(obstacle)
    with Network(tmp_path / "hosts") as network:
        yield network


@pytest.fixture
def bed(runs: Any, network: Network, tmp_path: Path) -> ClusterRuns:
    """A run's host and that of a Dask scheduler, on which nothing runs yet."""
    return ClusterRuns(runs, network, tmp_path)


@pytest.fixture
def database(bed: ClusterRuns) -> Iterator[DatabaseHost]:
    """A PostgreSQL server on a host of its own, with a database that is empty."""
    if (programs := find_programs()) is None:
        pytest.skip("postgresql is not installed (Debian: postgresql)")
    # Not below pytest's own folder, which the server's user may not look into.
    with tempfile.TemporaryDirectory(prefix="evo-pg-") as folder:
        Path(folder).chmod(0o755)
        database = DatabaseHost(programs, Path(folder) / "server", bed.network.add("database"))
        database.start()
        yield database


@pytest.fixture
def slurm(bed: ClusterRuns, tmp_path: Path) -> Slurm:
    """A Slurm whose head is the run's host, and two nodes of one core each."""
    if (missing := find_missing()) is not None:
        pytest.skip(missing)
    for name in ("node1", "node2"):
        bed.hosts[name] = bed.network.add(name)
    slurm = Slurm(tmp_path / "slurm", bed.home, [bed.hosts["node1"], bed.hosts["node2"]])
    slurm.start()
    return slurm
