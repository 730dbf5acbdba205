"""Workers that would evaluate something else, or not at all, are named and get nothing."""

import os
import shutil
import socket
from importlib.metadata import distribution

import pytest
from cluster_runs import HELD, TRIALS
from hosts import wait_until

pytestmark = pytest.mark.cluster


@pytest.fixture
def newer_lab(lab, tmp_path):
    """The path of a copy of the plugin with another version."""
    folder = shutil.copytree(lab, tmp_path / "newer")
    metadata = folder / "lab-1.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    return os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])


def test_a_late_worker_with_another_version_of_a_plugin_is_refused_by_name(bed, newer_lab):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(held_at=(HELD,))
    bed.wait_for(HELD)
    bed.start_workers("newer", PYTHONPATH=newer_lab)
    wait_until(lambda: "worker on newer: lab 1.1, the run has 1.0" in str(bed.status()))
    bed.open_gate()
    bed.require_finished(run)
    assert not any("newer" in bed.hosts_of(number) for number in range(TRIALS))


def test_a_run_does_not_start_with_a_worker_of_another_version(bed, newer_lab):
    bed.dask.start_scheduler()
    bed.start_workers("newer", PYTHONPATH=newer_lab)
    bed.dask.wait_for_workers(1)
    assert bed.start().wait() == 2, bed.output.read_text()
    assert "lab 1.1, the run has 1.0" in bed.output.read_text()


@pytest.fixture
def newer_evograft(tmp_path):
    """The path on which evograft's own metadata name another version."""
    found = distribution("evograft")
    folder = tmp_path / "site" / "evograft-0.2.0.dist-info"
    folder.mkdir(parents=True)
    metadata = found.read_text("METADATA").replace(f"Version: {found.version}", "Version: 0.2.0", 1)
    (folder / "METADATA").write_text(metadata)
    (folder / "entry_points.txt").write_text(found.read_text("entry_points.txt"))
    return os.pathsep.join([str(folder.parent), os.environ["PYTHONPATH"]])


def test_a_worker_with_another_version_of_evograft_is_refused_by_name(bed, newer_evograft):
    bed.dask.start_scheduler()
    bed.start_workers("one")
    run = bed.start(held_at=(HELD,))
    bed.wait_for(HELD)
    bed.start_workers("newer", PYTHONPATH=newer_evograft)
    wait_until(lambda: "worker on newer: evograft 0.2.0, the run has 0.1.0" in str(bed.status()))
    bed.open_gate()
    bed.require_finished(run)
    late = bed.evo("resume", bed.path, "--set", f"budget.trials={TRIALS + 5}")
    assert late.wait() == 2, bed.output.read_text()
    assert "does not fit the run: evograft 0.2.0, the run has 0.1.0" in bed.output.read_text()


IN_CONTAINERS = "sandbox={driver: docker, image: any}"


@pytest.fixture
def engine(tmp_path_factory):
    """The address of a Docker engine, as far as anybody asks it."""
    path = tmp_path_factory.mktemp("engine") / "socket"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        door.listen()
        yield f"unix://{path}"


def test_trials_that_need_containers_wait_for_a_worker_with_an_engine(bed, engine):
    bed.dask.start_scheduler()
    bed.start_workers("one", DOCKER_HOST=engine)
    bed.start_workers("bare", DOCKER_HOST="unix:///nowhere")
    bed.dask.wait_for_workers(2)
    run = bed.evo("run", bed.write(held_at=(HELD,)), "--run-dir", bed.path, "--set", IN_CONTAINERS)
    bed.network.power_off(bed.wait_for(HELD))
    wait_until(lambda: "no worker offers docker=1" in str(bed.status()))
    bed.start_workers("two", DOCKER_HOST=engine)
    assert bed.wait_for(HELD, times=2).name == "two"
    bed.open_gate()
    bed.require_finished(run)
    assert not any("bare" in bed.hosts_of(number) for number in range(TRIALS))


def test_a_run_that_needs_containers_does_not_start_where_no_worker_has_an_engine(bed):
    bed.dask.start_scheduler()
    bed.start_workers("bare", DOCKER_HOST="unix:///nowhere")
    bed.dask.wait_for_workers(1)
    run = bed.evo("run", bed.write(), "--run-dir", bed.path, "--set", IN_CONTAINERS)
    assert run.wait() == 2, bed.output.read_text()
    (line,) = (line for line in bed.output.read_text().splitlines() if line.startswith("Error"))
    assert "no worker offers docker=1, which an evaluation needs: start one on a machine where a Docker engine" in line


def test_a_run_does_not_start_where_a_nanny_would_end_what_the_sandbox_allows(bed):
    bed.dask.start_scheduler()
    bed.dask.start_worker(bed.network.add("small"), "--memory-limit", "1GB")
    bed.dask.wait_for_workers(1)
    run = bed.evo("run", bed.write(), "--run-dir", bed.path, "--set", "sandbox={driver: auto, memory_mb: 2000}")
    assert run.wait() == 2, bed.output.read_text()
    assert "is ended at 1000 MB by its nanny, an evaluation may need 2000" in bed.output.read_text()


def test_a_run_does_not_start_with_a_worker_that_its_nanny_would_end_too_early(bed):
    bed.dask.start_scheduler()
    host = bed.network.add("small")
    bed.dask.start_worker(host, "--memory-limit", "1GB", "--resources", "memory_mb=3000")
    bed.dask.wait_for_workers(1)
    executor = {"driver": "dask", "address": bed.dask.address, "connect_seconds": 60, "resources": {"memory_mb": 2000}}
    assert bed.start(executor).wait() == 2, bed.output.read_text()
    assert "is ended at 1000 MB by its nanny, an evaluation may need 2000" in bed.output.read_text()
