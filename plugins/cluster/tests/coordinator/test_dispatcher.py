"""The dispatcher goes on through what engines do, and charges candidates only for what workers saw."""

import pickle
import threading
from concurrent.futures import CancelledError, Future

import pytest

from evograft.errors import RunStopping, ServiceError
from evograft_cluster.coordinator.dispatcher import MOST_VANISHED, Dispatcher
from evograft_cluster.messages import Order, Reply
from evograft_cluster.requirements import Requirements
from evograft_hookspecs import Evaluation, TaskExpired, WorkerLost

ORDER = Order(run="run", trial=7, requirements=Requirements(python="3.11", versions={}))
GOOD = Evaluation(status="ok", score=1.0)


def reply(outcome, reason="", evaluation=None):
    message = Reply(outcome=outcome, reason=reason)
    return message.model_dump_json(), pickle.dumps((evaluation, None))


class ScriptedEngine:
    """An engine whose answers are written down: an error is raised where it says so."""

    workers = 1
    is_deserted = False
    state = ""

    def __init__(self, *script):
        self.script = list(script)
        self.keys = []
        self.restored = 0
        self.held = threading.Event()

    def send(self, key, order, remote, task):
        self.keys.append(key)
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(answer, ServiceError):
            raise answer
        future = Future()
        if answer == "hold":
            self.answer = future
            self.held.set()
        elif isinstance(answer, BaseException):
            future.set_exception(answer)
        else:
            future.set_result(answer)
        return future

    def restore(self):
        self.restored += 1


@pytest.fixture
def dispatch():
    opened = []

    def begin(*script, patience=600.0):
        engine = ScriptedEngine(*script)
        dispatcher = Dispatcher(engine, b"plugins", patience=patience)
        opened.append(dispatcher)
        return engine, dispatcher, dispatcher.submit(ORDER, "a task")

    yield begin
    for dispatcher in opened:
        dispatcher.close()


@pytest.mark.parametrize(
    "trouble",
    [
        CancelledError(),
        RuntimeError("a node was taken away"),
        ServiceError("takes nothing"),
        reply("abandoned"),
        reply("unfit", "lab 1.1"),
        ('{"outcome": "answered", "by": "a later version"}', b"of its own"),
    ],
)
def test_trouble_that_nobody_is_to_blame_for_costs_another_attempt(dispatch, trouble):
    engine, _, future = dispatch(trouble, trouble, trouble, trouble, reply("evaluated", evaluation=GOOD))
    assert future.result(60) == GOOD
    assert len(engine.keys) == len(set(engine.keys)) == 5


@pytest.mark.parametrize(("outcome", "error"), [("died", WorkerLost), ("expired", TaskExpired)])
def test_what_a_worker_saw_is_charged(dispatch, outcome, error):
    engine, _, future = dispatch(reply(outcome, "seen"))
    with pytest.raises(error, match="seen"):
        future.result(60)
    assert len(engine.keys) == 1


def test_a_broken_engine_is_restored_before_the_next_attempt(dispatch):
    engine, _, future = dispatch(RuntimeError("broken"), reply("evaluated", evaluation=GOOD))
    assert future.result(60) == GOOD
    assert engine.restored == 1


def test_patience_ends_with_an_error_of_the_service(dispatch):
    _, _, future = dispatch(ServiceError("no route to node1"), patience=0.2)
    with pytest.raises(ServiceError, match=r"no worker has answered .*\(no route to node1\).* resume the run"):
        future.result(60)


def test_patience_ends_when_nobody_is_there(dispatch, monkeypatch):
    monkeypatch.setattr("evograft_cluster.coordinator.dispatcher.LOOK_SECONDS", 0.01)
    monkeypatch.setattr(ScriptedEngine, "is_deserted", True)
    _, _, future = dispatch("hold", patience=0.2)
    with pytest.raises(ServiceError, match=r"\(no worker is there\).* resume the run"):
        future.result(60)


def test_losses_of_long_evaluations_do_not_add_up(dispatch, monkeypatch):
    monkeypatch.setattr("evograft_cluster.coordinator.dispatcher.LONGEST_PAUSE", 0.0)
    taken = RuntimeError("a node was taken away")
    engine, _, future = dispatch(taken, "hold", reply("evaluated", evaluation=GOOD), patience=1e-6)
    assert engine.held.wait(60)
    engine.answer.set_exception(taken)
    assert future.result(60) == GOOD


def test_a_worker_that_was_left_out_is_named(dispatch):
    _, dispatcher, future = dispatch(reply("unfit", "worker on node1: lab 1.1"), reply("evaluated", evaluation=GOOD))
    future.result(60)
    assert dispatcher.state == "left out: worker on node1: lab 1.1"


def test_why_nobody_evaluates_is_said_once(dispatch):
    engine, dispatcher, _ = dispatch(reply("unfit", "worker on node1: lab 1.1"), "hold")
    assert engine.held.wait(60)
    assert dispatcher.state == "worker on node1: lab 1.1"


def test_a_run_and_its_copy_ask_one_engine_under_different_keys():
    engine = ScriptedEngine(reply("evaluated", evaluation=GOOD))
    for _ in range(2):
        dispatcher = Dispatcher(engine, b"plugins", patience=600.0)
        dispatcher.submit(ORDER, "a task").result(60)
        dispatcher.close()
    assert len(set(engine.keys)) == 2


def test_closing_gives_up_what_is_under_way(dispatch):
    engine, dispatcher, future = dispatch("hold")
    assert engine.held.wait(60)
    dispatcher.close()
    with pytest.raises(RunStopping):
        future.result(60)


def test_a_task_that_takes_every_worker_with_it_ends_the_run_not_the_candidate(dispatch, monkeypatch):
    monkeypatch.setattr("evograft_cluster.coordinator.dispatcher.LONGEST_PAUSE", 0.001)
    engine, _, future = dispatch(RuntimeError("gone"))
    with pytest.raises(ServiceError, match="20 workers vanished over trial 7"):
        future.result(60)
    assert len(engine.keys) == MOST_VANISHED
