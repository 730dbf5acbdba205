"""What a worker lacks is named."""

import shutil
import socket

import pytest
import yaml

from evograft.config.pipeline import DriverSection
from evograft.session.worker import RemoteEvaluator
from evograft_cluster.requirements import EvaluationResources, Requirements
from evograft_hookspecs.values import FrozenDict


def lacking(**settings):
    return Requirements(**{"python": "3.11", "versions": {}, **settings}).find_lacking()


@pytest.fixture(autouse=True)
def python(monkeypatch):
    monkeypatch.setattr("platform.python_version_tuple", lambda: ("3", "11", "9"))


def test_a_machine_that_has_everything_lacks_nothing():
    assert lacking() == ()


def test_distributions_are_named_with_both_versions():
    (clause,) = lacking(versions={"evograft": "0.0.9"})
    assert clause == "evograft 0.1.0, the run has 0.0.9: pip install evograft==0.0.9"
    (clause,) = lacking(versions={"evograft-no-such": "1"})
    assert clause.startswith("evograft-no-such is missing, the run has 1: ")


def test_another_python_may_score_otherwise():
    assert lacking(python="3.12") == ("Python 3.11, the run has 3.12: install evograft with that Python",)


def test_a_full_disk_is_said(monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 3_000_000))
    (clause,) = lacking()
    assert "is full (3 MB are left): free some, or set TMPDIR" in clause


def test_cores_and_gpus_that_are_not_there(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    clauses = lacking(resources=EvaluationResources(cores=4096, gpu=1))
    needs = [clause.split(", ", 1)[1].partition(": ") for clause in clauses]
    assert [need for need, _, _ in needs] == ["an evaluation needs 4096", "an evaluation needs 1"]
    assert {advice for _, _, advice in needs} == {"start workers where there are more, or lower executor.resources"}


def wanted(resources, sandbox="auto"):
    pipelines = ((0, yaml.safe_dump({"plugins": ["lab"]})),)
    remote = RemoteEvaluator(pipelines, "", DriverSection(driver=sandbox), "run")
    return Requirements.of(remote, EvaluationResources.model_validate(resources)).resources


def test_what_a_plugin_and_the_sandbox_need_is_added_to_what_the_pipeline_says(lab, monkeypatch):
    from lab import Lab

    assert wanted({}) == EvaluationResources()
    assert wanted({}, sandbox="docker").other == {"docker": 1.0}
    manifest = Lab.manifest.model_copy(
        update={"resources": FrozenDict({"gpu": 1.0, "memory_mb": 500.0, "licence": 2.0})}
    )
    monkeypatch.setattr(Lab, "manifest", manifest)
    found = wanted({"memory_mb": 800, "other": {"licence": 1.0}}, sandbox="docker")
    expected = {"gpu": 1, "memory_mb": 800, "other": {"licence": 2.0, "docker": 1.0}}
    assert found == EvaluationResources.model_validate(expected)


def test_an_engine_that_does_not_answer_is_lacking(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/engine")
    resources = EvaluationResources.model_validate({"other": {"docker": 1.0}})
    assert lacking(resources=resources) == (
        "no Docker engine answers, an evaluation needs one: start it, or name it in DOCKER_HOST",
    )
    with socket.socket(socket.AF_UNIX) as engine:
        engine.bind(f"{tmp_path}/engine")
        engine.listen()
        assert lacking(resources=resources) == ()
