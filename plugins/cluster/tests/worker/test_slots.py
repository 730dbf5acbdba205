"""The processes in which a worker evaluates are like those of a run on one machine."""

import pickle
from types import SimpleNamespace

from dispatch_evaluator import build

from evograft.cpu_dispatch import dispatch
from evograft_cluster.requirements import EvaluationResources
from evograft_cluster.worker.slots import PinnedSlot

TASK = SimpleNamespace(ctx=SimpleNamespace(limits=SimpleNamespace(wall_seconds=60.0)))


def test_evaluations_compute_what_every_cpu_does_although_their_worker_was_started_otherwise(monkeypatch):
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    assert dispatch() == "native"
    slot = PinnedSlot(pickle.dumps(build), EvaluationResources())
    try:
        assert slot.slot.evaluate(TASK).reason == "portable"
    finally:
        slot.close()
