"""Whoever stops a run does not wait for a model that does not answer, and loses nothing that has been answered."""

import json
import os
import signal
import threading
import time

import pytest
from asking import Awaited, Hanging, climb
from fault_server import status

from evograft.config.pipeline import LlmSection
from evograft.errors import RunStopping
from evograft.llm import retry
from evograft.llm.retry import RetryingClient
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.session.session import open_session
from evograft_hookspecs import (
    CONTRACT,
    LlmAnswer,
    LlmCall,
    LlmRequest,
    LlmRetryable,
    Manifest,
    Message,
    TrialCommitted,
    hookimpl,
)

SHORT = "import evograft.kernel.requests as k, evograft.llm.retry as c; k.GRACE = c.GRACE = 0.3; from evograft.cli import main; main()"
"""`evo` whose grace is shorter than a test's patience; the servers here hang for ever."""


def start(asking, *arguments):
    return asking.start_python("-c", SHORT, *arguments)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_whose_calls_hang_and_leaves_it_resumable(asking, server, hanging, number):
    server.script(*[climb] * 10)
    process = start(asking, "run", asking.write(), "--run-dir", asking.folder / "run")
    hanging.wait_for(4)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert f"interrupted: stopped by {signal.Signals(number).name}" in out
    assert "resume it with: evo resume" in out
    server.usual = climb
    assert asking.evo("resume", asking.folder / "run").returncode == 0
    assert asking.unlogged(asking.folder / "run") == 4
    assert asking.trials(asking.folder / "run") == asking.undisturbed()


def test_a_run_that_is_to_outlive_its_terminal_is_not_ended_with_it(asking, hanging):
    # So does `nohup`; it is inherited.
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = start(asking, "run", asking.write(), "--run-dir", asking.folder / "run")
    finally:
        signal.signal(signal.SIGHUP, before)
    hanging.wait_for(4)
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted: stopped by SIGTERM" in out


def test_a_signal_ends_a_run_whose_analysis_hangs(asking, server, hanging):
    with_ = {"analyzing": True}
    process = start(asking, "run", asking.write(with_=with_), "--run-dir", asking.folder / "run")
    hanging.wait_for(1)
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    server.usual = climb
    assert asking.evo("resume", asking.folder / "run").returncode == 0
    assert asking.trials(asking.folder / "run") == asking.undisturbed(with_=with_)


def test_evo_stop_is_heard_while_the_analysis_waits(asking, server, hanging):
    with_ = {"analyzing": True}
    process = start(asking, "run", asking.write(with_=with_), "--run-dir", asking.folder / "run")
    hanging.wait_for(1)
    stopped = asking.evo("stop", asking.folder / "run")
    assert stopped.returncode == 0, stopped.stderr
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted: stopped by evo stop" in out
    server.usual = climb
    # Who was asked to stop and did is not asked again.
    assert asking.evo("resume", asking.folder / "run").returncode == 0
    assert asking.trials(asking.folder / "run") == asking.undisturbed(with_=with_)


def test_a_second_signal_ends_the_process_at_once(asking, hanging):
    process = asking.start("run", asking.write(), "--run-dir", asking.folder / "run")
    hanging.wait_for(4)
    process.send_signal(signal.SIGINT)
    assert any("once more to end at once" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == -signal.SIGINT
    process.communicate()


class Stopping:
    """Runs a kernel on another thread, so that the test can stop it."""

    def __init__(self, path, *observers):
        plugins = [
            ActivePlugin(f"o{number}", observer, Manifest(name="o", contract=CONTRACT, thread_safe=True), "test")
            for number, observer in enumerate(observers)
        ]
        self._session = open_session(open_run(path), observers=plugins)
        self.kernel = self._session.__enter__()
        self.ended = None
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self):
        try:
            self.ended = self.kernel.run()
        except Exception as err:  # noqa: BLE001 - the test looks at it
            self.ended = err

    def join(self):
        self._thread.join(timeout=60)
        assert not self._thread.is_alive(), "the run did not end"
        self._session.__exit__(None, None, None)
        return self.ended


def test_calls_that_wait_for_their_turn_are_given_up_and_those_under_way_are_waited_for(asking, server, hanging):
    path = asking.begin("run", llm={"concurrency": 1})
    running = Stopping(path)
    hanging.wait_for(1)
    running.kernel.requests.stop("enough")
    hanging.over.set()
    assert (running.join().outcome, running.ended.reason) == ("interrupted", "enough")
    assert len(asking.trials(path)) == len(server.asked()) == 1
    server.usual = climb
    asking.resume(path)
    assert asking.trials(path) == asking.undisturbed(llm={"concurrency": 1})


def test_a_pause_before_a_retry_is_over_when_the_run_stops(asking, server):
    server.usual = awaited = Awaited(lambda seen: status(429, headers={"Retry-After": "3600"}))
    running = Stopping(asking.begin("run"))
    awaited.wait_for(4)
    running.kernel.requests.stop("enough")
    assert running.join().outcome == "interrupted"
    assert len(server.asked()) == 4


def test_a_request_that_fails_after_the_stop_is_no_failure_of_the_run(asking, server):
    over = threading.Event()

    def fail(seen):
        over.wait()
        return status(500)

    server.usual = awaited = Awaited(fail)
    running = Stopping(asking.begin("run", llm={"retries": 0}))
    try:
        awaited.wait_for(4)
        running.kernel.requests.stop("enough")
        wait_for_stop(running.kernel)
    finally:
        over.set()
    assert running.join().outcome == "interrupted"


def wait_for_stop(kernel):
    assert kernel._models._caller._stopped.wait(timeout=60)


def test_an_observer_that_asks_a_model_that_hangs_does_not_keep_a_stopped_run(asking, server, monkeypatch):
    class Asks:
        @hookimpl
        def observe(self, ctx, event):
            if isinstance(event, TrialCommitted):
                message = Message(role="user", content="anything to learn?")
                ctx.llm.complete(LlmRequest(messages=(message,), max_tokens=5))

    monkeypatch.setattr(retry, "GRACE", 0.3)
    hanging = Hanging()
    server.usual = lambda seen: hanging(seen) if "learn" in seen.prompt else climb(seen)
    running = Stopping(asking.begin("run"), Asks())
    try:
        hanging.wait_for(1)
        running.kernel.requests.stop("enough")
        assert running.join().outcome == "interrupted"
    finally:
        hanging.over.set()


class Person:
    """A driver behind which somebody thinks for long."""

    available, patient, default_model = True, True, "person"

    def __init__(self):
        self.asked, self.answered = threading.Event(), threading.Event()

    def complete(self, call, *, timeout):
        self.asked.set()
        assert self.answered.wait(timeout=60)
        return LlmAnswer(text="at last", model="person")


CALL = LlmCall(request=LlmRequest(messages=(), max_tokens=1), key="0/mutate/a/0:0:0")


def asked(calls):
    return calls.ask(CALL, charge=lambda _usage, _reason: None, again=lambda: None)


def test_a_person_has_no_time_limit_and_is_given_up_when_the_run_stops():
    person = Person()
    calls = RetryingClient(person, LlmSection(driver="manual", timeout=0.01))
    outcomes = []

    def ask():
        try:
            outcomes.append(asked(calls).answer.text)
        except RunStopping:
            outcomes.append("given up")

    thread = threading.Thread(target=ask)
    thread.start()
    assert person.asked.wait(timeout=60)
    person.answered.set()
    thread.join(timeout=60)
    person.asked.clear()
    person.answered.clear()
    thread = threading.Thread(target=ask)
    thread.start()
    assert person.asked.wait(timeout=60)
    calls.stop()
    calls.stop()
    thread.join(timeout=60)
    assert outcomes == ["at last", "given up"]
    person.answered.set()
    calls.close()


def test_an_interrupt_that_does_not_wake_the_main_thread_is_noticed_all_the_same():
    class Interrupts(Person):
        in_time = False

        def complete(self, call, *, timeout):
            self.thread = threading.current_thread()
            os.kill(os.getpid(), signal.SIGINT)
            self.in_time = self.answered.wait(timeout=30)
            return LlmAnswer(text="too late", model="person")

    driver = Interrupts()
    calls = RetryingClient(driver, LlmSection(driver="manual", concurrency=1))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    # One of the other threads takes the signal, as now and then on a busy machine.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with pytest.raises(KeyboardInterrupt):
            asked(calls)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    driver.answered.set()
    calls.close()
    driver.thread.join(timeout=60)
    assert driver.in_time


def test_a_driver_that_forgets_its_time_limit_is_given_up_all_the_same():
    class Deaf(Person):
        patient = False

    driver = Deaf()
    calls = RetryingClient(driver, LlmSection(driver="deaf", timeout=0.01, retries=0, concurrency=1))
    with pytest.raises(LlmRetryable, match="no answer within"):
        asked(calls)
    driver.answered.set()
    assert asked(calls).answer.text == "at last", "another thread has taken the place of the one that hung"
    calls.close()


def test_a_run_whose_seconds_are_over_waits_for_no_provider_that_asks_to_wait(asking, server):
    """The pauses that are asked for are longer than the test."""
    server.usual = lambda seen: status(429, headers={"Retry-After": "500"})
    path = asking.folder / "run"
    done = asking.evo("run", asking.write(budget={"seconds": 1.0}), "--run-dir", path)
    assert done.returncode == 0, done.stderr
    assert "1 seconds passed" in done.stdout
    assert len(server.asked()) == 4
    server.usual = climb
    assert asking.evo("resume", path, "--set", "budget.seconds=600.0").returncode == 0
    assert asking.trials(path) == asking.undisturbed()


def test_a_run_whose_seconds_are_over_waits_for_no_person(asking):
    path = asking.folder / "run"
    pipeline = {**asking.pipeline(budget={"seconds": 1.0}), "llm": {"driver": "manual"}}
    (asking.folder / "manual.json").write_text(json.dumps(pipeline))
    done = asking.evo("run", asking.folder / "manual.json", "--run-dir", path)
    assert done.returncode == 0, done.stderr
    assert "1 seconds passed" in done.stdout


def test_an_analysis_that_a_provider_lets_wait_ends_with_the_seconds_of_the_run(asking, server):
    server.usual = lambda seen: status(429, headers={"Retry-After": "500"})
    path, with_ = asking.folder / "run", {"analyzing": True}
    done = asking.evo("run", asking.write(with_=with_, budget={"seconds": 1.0}), "--run-dir", path)
    assert done.returncode == 0, done.stderr
    assert "1 seconds passed" in done.stdout
    server.usual = climb
    assert asking.evo("resume", path, "--set", "budget.seconds=600.0").returncode == 0
    assert asking.trials(path) == asking.undisturbed(with_=with_)


def test_the_status_of_a_run_says_that_a_call_waits_and_until_when(asking, server):
    server.usual = awaited = Awaited(lambda seen: status(429, "too fast", headers={"Retry-After": "500"}))
    process = asking.start("run", asking.write(), "--run-dir", asking.folder / "run")
    awaited.wait_for(4)
    end = time.monotonic() + 60
    while "waits until" not in (shown := asking.evo("status", asking.folder / "run").stdout):
        assert time.monotonic() < end, shown
        time.sleep(0.02)
    process.terminate()
    process.communicate(timeout=60)
    assert "too fast" in shown
