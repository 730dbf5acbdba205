"""Processes that are killed or interrupted lose at most the message in flight."""

import signal
import threading

import pytest
from fault_server import answer

from evograft_code_explainer.questions import session


@pytest.fixture
def waiting(explain, model, repository, server):
    """A process whose third question is not answered."""
    asked = threading.Event()
    model.says(model.LIST, model.READ)
    server.script(lambda _: asked.set() or answer("too late", delay=600))
    process = explain.start("what does it do?", repository, *explain.model)
    while not asked.wait(0.2):
        assert process.poll() is None, process.stderr.read()
    yield process
    process.kill()
    process.communicate()


def test_what_was_answered_before_a_kill_is_never_asked_again(explain, waiting, model, server, shelf):
    (name,) = shelf.list_ids()
    before = shelf.find(name)
    assert len(before.answers) == 2
    for arguments in (("--continue", name, "why?"), ("--delete", name)):
        refused = explain(*arguments)
        assert refused.code == 2
        assert f"process {waiting.pid}" in refused.err
    waiting.kill()
    waiting.communicate()
    assert shelf.find(name) == before
    model.completes("It exits.")
    done = explain("--continue", name)
    assert (done.code, done.out) == (0, "It exits.\n")
    assert len(server.seen) == 4
    assert server.seen[3].body == server.seen[2].body
    assert len(shelf.find(name).answers) == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_question_says_how_to_go_on(explain, waiting, server, shelf, number):
    waiting.send_signal(number)
    out, err = waiting.communicate(timeout=60)
    (name,) = shelf.list_ids()
    assert waiting.returncode == 130
    assert "I look around." in out
    assert "Not complete: interrupted" in err
    assert f"go on with: evo explain --continue {name}" in err.splitlines()
    assert "Traceback" not in err
    assert len(shelf.find(name).answers) == 2


def test_a_question_that_a_shell_put_into_the_background_is_interrupted_like_any_other(explain, repository, server):
    asked = threading.Event()
    server.script(lambda _: asked.set() or answer("too late", delay=600))
    # So does a shell with what stands before `&`; it is inherited.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = explain.start("what does it do?", repository, *explain.model)
    finally:
        signal.signal(signal.SIGINT, before)
    while not asked.wait(0.2):
        assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130


def test_who_does_not_wait_for_the_end_is_told_how_to_go_on(explain, repository, monkeypatch, shelf):
    def interrupted_twice(_work, _end):
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "run_interruptibly", interrupted_twice)
    done = explain.ask("what does it do?", repository)
    (name,) = shelf.list_ids()
    assert done.code == 130
    assert done.err.splitlines()[-3:] == [f"go on with: evo explain --continue {name}", "", "interrupted"]
