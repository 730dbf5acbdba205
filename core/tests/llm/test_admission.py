"""The gate before the models: so many at a time, in the order of trials, and never more reserved than there is."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from asking import Gathering
from hypothesis import given
from hypothesis import strategies as st

from evograft.config.pipeline import Budget
from evograft.errors import BudgetSpent, RunStopping
from evograft.llm.admission import AdmissionControl
from evograft.llm.ledger import SpendingLedger
from evograft.log.records import CompletedCall
from evograft_hookspecs import Usage

UNLIMITED = Budget(trials=1)


def spent(usage):
    return CompletedCall("0/mutate/a/0:0:0", 0, "mutate", "a", "m", usage, seconds=0.0, requests=1, at=0.0)


class Caller:
    """A call on a thread of its own that holds its place at the gate until it is told to go."""

    def __init__(self, gate, trial, bound=None, *, log=None):
        self.passed, self.go, self.error = threading.Event(), threading.Event(), None
        self._waiting = threading.Event()
        self._thread = threading.Thread(target=self._call, args=(gate, trial, bound or Usage(), log))
        before = len(gate._waiting)
        self._thread.start()
        # It holds the gate's condition from its arrival until it waits.
        while len(gate._waiting) == before and not self.passed.is_set() and self._thread.is_alive():
            with gate._changed:
                gate._changed.wait(timeout=0.001)

    def _call(self, gate, trial, bound, log):
        try:
            with gate.admit(trial, bound):
                if log is not None:
                    log.append(trial)
                self.passed.set()
                assert self.go.wait(timeout=120)
        except Exception as err:  # noqa: BLE001 - the test looks at it
            self.error = err
        self.passed.set()

    def end(self):
        self.go.set()
        self._thread.join(timeout=120)
        assert not self._thread.is_alive()


def test_calls_are_granted_in_the_order_of_trials_and_those_outside_of_trials_first():
    gate, log = AdmissionControl(UNLIMITED, SpendingLedger(), slots=1), []
    first = Caller(gate, 7, log=log)
    assert first.passed.wait(timeout=120)
    waiting = [Caller(gate, trial, log=log) for trial in (5, 2, None, 9, 2, 0)]
    for caller in (first, *waiting):
        caller.go.set()
    for caller in (first, *waiting):
        caller.end()
    assert log == [7, None, 0, 2, 2, 5, 9]


@pytest.mark.parametrize("slots", [1, 3])
def test_no_more_calls_pass_than_there_are_slots(slots):
    gate = AdmissionControl(UNLIMITED, SpendingLedger(), slots=slots)
    callers = [Caller(gate, trial) for trial in range(5)]
    assert all(caller.passed.wait(timeout=120) for caller in callers[:slots])
    assert not any(caller.passed.is_set() for caller in callers[slots:])
    for caller in callers:
        assert caller.passed.wait(timeout=120)
        assert gate._in_flight <= slots
        caller.end()


def test_who_waits_and_who_comes_is_turned_away_when_the_gate_closes():
    gate = AdmissionControl(UNLIMITED, SpendingLedger(), slots=1)
    inside = Caller(gate, 0)
    assert inside.passed.wait(timeout=120)
    waiting = [Caller(gate, trial) for trial in (1, 2)]
    gate.close(RunStopping("the run stops"))
    gate.close(RunStopping("another reason"))
    for caller in (*waiting, Caller(gate, 3)):
        caller.end()
        assert str(caller.error) == "the run stops"
    assert inside.error is None
    inside.end()
    assert inside.error is None
    assert gate._in_flight == 0


def test_a_call_that_is_too_dear_waits_for_those_in_flight_and_then_ends_the_run():
    ledger = SpendingLedger()
    gate = AdmissionControl(Budget(dollars=1.0), ledger, slots=4)
    inside = Caller(gate, 0, Usage(dollars=0.6))
    dear, cheap = Caller(gate, 1, Usage(dollars=0.6)), Caller(gate, 2, Usage(dollars=0.1))
    assert inside.passed.wait(timeout=120)
    assert not dear.passed.is_set()
    assert not cheap.passed.is_set(), "it overtook an earlier trial"
    ledger.add(spent(Usage(dollars=0.5)))
    inside.end()
    dear.end()
    cheap.end()
    assert isinstance(dear.error, BudgetSpent)
    assert str(dear.error) == "budget.dollars 1: 0.5 are spent, and the next call may take 0.6"
    assert cheap.error is dear.error


def test_a_call_that_came_out_cheaper_than_reserved_makes_room_for_the_next():
    ledger = SpendingLedger()
    gate = AdmissionControl(Budget(tokens=100), ledger, slots=4)
    inside = Caller(gate, 0, Usage(prompt_tokens=50, completion_tokens=40))
    following = Caller(gate, 1, Usage(prompt_tokens=50, completion_tokens=40))
    ledger.add(spent(Usage(prompt_tokens=5, completion_tokens=5)))
    inside.end()
    assert following.passed.wait(timeout=120)
    following.end()
    assert following.error is None


def test_a_call_that_fails_gives_its_place_and_its_reservation_back():
    gate = AdmissionControl(Budget(dollars=1.0), SpendingLedger(), slots=1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), gate.admit(0, Usage(dollars=0.7)):
            raise ZeroDivisionError
    with gate.admit(0, Usage(dollars=1.0)):
        pass


def test_a_refused_call_that_awaits_the_others_keeps_no_money_from_them():
    gate, settled = AdmissionControl(Budget(dollars=1.0), SpendingLedger(), slots=2), threading.Event()
    bound = Usage(dollars=0.5)

    def refused():
        with gate.admit(0, bound) as ticket:
            inside.set()
            gate.await_others(ticket, settled.is_set)

    inside = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(refused)
        assert inside.wait(timeout=120)
        with gate.admit(1, bound) as ticket:
            gate.reserve_again(ticket, Usage(dollars=1.0))
            settled.set()
        waiting.result(timeout=120)


calls = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60), st.integers(0, 100)), min_size=1, max_size=20)


@given(calls=calls, slots=st.integers(1, 4), limit=st.integers(1, 100))
def test_what_is_spent_and_reserved_never_passes_the_limit(calls, slots, limit):
    """Bounds are in cents; what a call really costs is a share of its bound."""
    ledger = SpendingLedger()
    gate = AdmissionControl(Budget(dollars=limit / 100), ledger, slots=slots)
    most = []

    def call(trial, bound, percent):
        try:
            with gate.admit(trial, Usage(dollars=bound / 100)):
                most.append((gate._reserved_dollars + ledger.dollars, gate._in_flight))
                ledger.add(spent(Usage(dollars=bound / 100 * percent / 100)))
        except BudgetSpent:
            return bound
        return None

    with ThreadPoolExecutor(len(calls)) as threads:
        refused = [bound for bound in threads.map(lambda each: call(*each), calls) if bound is not None]
    assert ledger.dollars <= limit / 100 + 1e-9
    assert all(in_flight <= slots for _, in_flight in most)
    assert gate._in_flight == 0
    assert gate._reserved_dollars == 0.0
    if refused:
        assert ledger.dollars + max(refused) / 100 > limit / 100 - 1e-9


@pytest.mark.parametrize(("workers", "window"), [(1, 8), (8, 16)])
def test_the_server_never_holds_more_requests_than_the_concurrency(asking, server, workers, window):
    server.usual = gathering = Gathering(3)
    llm = {"concurrency": 3}
    asking.run("run", trials=30, llm=llm, window=window, executor={"driver": "threads", "workers": workers})
    assert gathering.most == 3
    assert len(server.asked()) == 30


def test_questions_of_plugins_that_share_a_lock_are_asked_at_the_same_time(asking, server, monkeypatch):
    from asker import Asker

    undisturbed = asking.undisturbed(trials=30, llm={"concurrency": 3})
    monkeypatch.setattr(Asker, "manifest", Asker.manifest.model_copy(update={"thread_safe": False}))
    server.usual = gathering = Gathering(3)
    path = asking.run("run", trials=30, llm={"concurrency": 3})
    assert gathering.most == 3
    assert asking.trials(path) == undisturbed
