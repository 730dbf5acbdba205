"""What a worker lacks is named."""

import shutil

import pytest

from evograft_cluster.requirements import EvaluationResources, Requirements


def lacking(**settings):
    return Requirements(**{"python": "3.11", "versions": {}, **settings}).find_lacking()


@pytest.fixture(autouse=True)
def python(monkeypatch):
    monkeypatch.setattr("platform.python_version_tuple", lambda: ("3", "11", "9"))


def test_a_machine_that_has_everything_lacks_nothing():
    assert lacking() == ()


def test_distributions_are_named_with_both_versions():
    (clause,) = lacking(versions={"evograft": "0.0.9"})
    assert clause == "evograft 0.1.0, the run has 0.0.9"
    (clause,) = lacking(versions={"evograft-no-such": "1"})
    assert clause == "evograft-no-such is missing, the run has 1"


def test_another_python_may_score_otherwise():
    assert lacking(python="3.12") == ("Python 3.11, the run has 3.12",)


def test_a_full_disk_is_said(monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 3_000_000))
    (clause,) = lacking()
    assert "is full (3 MB are left)" in clause


def test_cores_and_gpus_that_are_not_there(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    clauses = lacking(resources=EvaluationResources(cores=4096, gpu=1))
    assert [clause.split(",")[1] for clause in clauses] == [" an evaluation needs 4096", " an evaluation needs 1"]
