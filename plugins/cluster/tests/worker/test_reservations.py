"""Cores and GPUs are lent to one evaluation at a time, over all processes of a machine."""

import os
import subprocess
import sys

import pytest

from evograft_cluster.requirements import EvaluationResources, find_gpus
from evograft_cluster.worker.reservations import Reservation, take_cores, take_gpus

HOLDS = """
import os
from evograft_cluster.requirements import EvaluationResources
from evograft_cluster.worker.reservations import Reservation, take_cores
reservation = Reservation()
print(*take_cores(reservation, EvaluationResources(cores=len(os.sched_getaffinity(0)))), flush=True)
input()
os._exit(9)
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_cores_that_another_process_holds_are_free_again_when_it_has_died():
    every = frozenset(os.sched_getaffinity(0))
    command = [sys.executable, "-c", HOLDS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert set(map(int, other.stdout.readline().split())) == every
        assert take_cores(Reservation(), EvaluationResources()) == frozenset()
        other.communicate("go\n")
    reservation = Reservation()
    assert take_cores(reservation, EvaluationResources(cores=len(every))) == every
    reservation.release()
    assert len(take_cores(Reservation(), EvaluationResources())) == 1


def test_too_few_gpus_are_none_and_stay_free(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-a, GPU-b")
    assert find_gpus() == ["GPU-a", "GPU-b"]
    one, two = Reservation(), Reservation()
    assert take_gpus(one, EvaluationResources(gpu=1)) == ("GPU-a",)
    assert take_gpus(two, EvaluationResources(gpu=2)) == ()
    assert take_gpus(two, EvaluationResources(gpu=1)) == ("GPU-b",)
    for each in (one, two):
        each.release()
