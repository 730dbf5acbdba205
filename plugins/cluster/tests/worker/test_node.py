"""A worker builds the plugins of a run once, keeps them, and answers what it cannot read or evaluate by saying so."""

import pickle
import platform
from functools import partial
from types import SimpleNamespace

import pytest
from dispatch_evaluator import build_and_note

from evograft_cluster.messages import Order, Reply
from evograft_cluster.requirements import Requirements
from evograft_cluster.worker import node

TASK = pickle.dumps(SimpleNamespace(ctx=SimpleNamespace(limits=SimpleNamespace(wall_seconds=60.0))))
HERE = ".".join(platform.python_version_tuple()[:2])


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(node, "UNFIT_SECONDS", 0.0)


@pytest.fixture
def plugins(tmp_path):
    """A folder with a file for each time that the plugins of a run were built, and what builds them."""
    folder = tmp_path / "built"
    folder.mkdir()
    return folder, pickle.dumps(partial(build_and_note, str(folder)))


def order(trial, **needs):
    return Order(run="run", trial=trial, requirements=Requirements(python=HERE, versions={}, **needs)).model_dump_json()


def test_plugins_are_built_once_for_all_evaluations_of_a_run(plugins):
    folder, remote = plugins
    for trial in range(3):
        text, body = node.evaluate(order(trial), remote, TASK)
        assert Reply.model_validate_json(text).outcome == "evaluated"
        evaluation, error = pickle.loads(body)
        assert error is None
        assert evaluation.status == "ok"
    assert len(list(folder.iterdir())) == 1


def test_a_worker_that_lacks_something_builds_nothing_and_names_itself(plugins):
    folder, remote = plugins
    text, _ = node.evaluate(order(0, resources={"cores": 4096}), remote, TASK)
    reply = Reply.model_validate_json(text)
    assert reply.outcome == "unfit"
    assert reply.reason.startswith(f"worker on {platform.node()}: ")
    assert "an evaluation needs 4096" in reply.reason
    assert not list(folder.iterdir())


def test_an_order_of_a_later_version_is_answered_by_the_version_that_is_here(plugins):
    _, remote = plugins
    text, _ = node.evaluate('{"run": "run", "trials": [1, 2]}', remote, TASK)
    reply = Reply.model_validate_json(text)
    assert reply.outcome == "unfit"
    assert "evograft-cluster 0.1.0 cannot read what the run asks" in reply.reason
