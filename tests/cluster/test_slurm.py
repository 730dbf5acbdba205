"""The Slurm of the tests is a real one: jobs run on its nodes, and can be cancelled."""

import pytest
from hosts import wait_until

pytestmark = [pytest.mark.cluster, pytest.mark.slow]


@pytest.fixture
def submit(slurm, tmp_path):
    """`submit(script)`: the number of a job."""

    def submit(script):
        path = tmp_path / "job.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        return slurm.tell("sbatch", "--parsable", "-o", f"{tmp_path}/%j.out", str(path)).strip()

    return submit


def test_two_jobs_run_on_two_nodes_and_one_that_is_cancelled_ends(slurm, submit, tmp_path):
    jobs = [submit("hostname; exec sleep 1000") for _ in range(2)]
    outputs = [tmp_path / f"{job}.out" for job in jobs]
    wait_until(lambda: all(path.exists() and path.read_text() for path in outputs))
    assert {path.read_text() for path in outputs} == {"node1\n", "node2\n"}
    slurm.tell("scancel", jobs[0])
    wait_until(lambda: slurm.find_jobs() == jobs[1:])
    wait_until(lambda: "CANCELLED" in outputs[0].read_text())
