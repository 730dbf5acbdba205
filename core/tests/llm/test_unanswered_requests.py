"""Requests that get no answer cost money all the same: it is in the log, in every sum, and in the limits."""

import threading
from dataclasses import replace

import pytest
from asking import climb
from fault_server import answer, cut, raw, slow, status

from evograft.llm.ledger import upper_bound
from evograft.log.journal import LoggedRefusal
from evograft.log.records import FailedCharge
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft.runs.status import read_status
from evograft.session.session import open_session
from evograft_hookspecs import Usage

BILL = (100, 1000)
PRICED = {"models": [{"name": "m", "price": {"prompt": 1.0, "completion": 1.0}}], "backoff": 0.001}


def billed_for_nothing():
    return raw({"choices": [], "usage": {"prompt_tokens": BILL[0], "completion_tokens": BILL[1]}})


def charges(path):
    with open_journal(path) as journal:
        return [record for record in journal.records() if isinstance(record, FailedCharge)]


def spent_after_resuming(path):
    with open_session(open_run(path)) as kernel:
        kernel.run()
        return kernel._models.ledger.total


class Till:
    """Bills every request; of three, one gets an answer."""

    def __init__(self):
        self.tokens = self._requests = 0
        self._guard = threading.Lock()

    def __call__(self, seen):
        with self._guard:
            self._requests += 1
            self.tokens += 20
            answered = self._requests % 3 == 0
        usage = {"prompt_tokens": 10, "completion_tokens": 10}
        return replace(climb(seen), usage=(10, 10)) if answered else raw({"choices": [], "usage": usage})


def test_requests_that_are_billed_without_an_answer_count_and_are_in_the_log(asking, server):
    server.script(billed_for_nothing(), billed_for_nothing())
    path = asking.run("run", trials=3, llm={**PRICED, "concurrency": 1})
    assert [(each.usage.prompt_tokens, each.usage.completion_tokens) for each in charges(path)] == [BILL, BILL]
    assert [each.requests for each in asking.answers(path)] == [3, 1, 1]
    spent = spent_after_resuming(path)
    assert spent.tokens == 2 * sum(BILL) + 3 * (11 + 7)
    assert spent.dollars == pytest.approx(spent.tokens / 1e6)
    assert read_status(path).prompt_tokens + read_status(path).completion_tokens == spent.tokens


@pytest.mark.parametrize("answered", [True, False])
def test_the_log_holds_with_each_call_what_its_requests_without_an_answer_have_cost(asking, server, answered):
    server.script(answer("1"), billed_for_nothing(), billed_for_nothing(), answer("2") if answered else status(400))
    path = asking.run("run", trials=2, llm={**PRICED, "concurrency": 1})
    (first, _), (second, _) = placed_rows(path)
    with open_journal(path) as journal:
        assert journal.answer(first).charged == Usage()
        if answered:
            charged = journal.answer(second).charged
        else:
            with pytest.raises(LoggedRefusal) as refusal:
                journal.answer(second)
            charged = refusal.value.usage
    dollars = 2 * sum(BILL) / 1e6
    assert (charged.prompt_tokens, charged.completion_tokens) == (2 * BILL[0], 2 * BILL[1])
    assert charged.dollars == pytest.approx(dollars)
    again = asking.replay(path, "again")
    asking.resume(again)
    assert charges(again) == [], "a recorded run is not paid for once more"


def placed_rows(path):
    with open_journal(path) as journal:
        return list(journal.places("answer"))[:2]


def test_no_limit_is_passed_by_requests_that_get_no_answer(asking, server):
    server.usual = till = Till()
    path = asking.folder / "run"
    pipeline = asking.write(trials=60, llm={**PRICED, "retries": 100}, budget={"tokens": 900})
    done = asking.evo("run", pipeline, "--run-dir", path)
    assert done.returncode == 0, done.stderr
    assert till.tokens <= 900
    assert f"budget.tokens 900: {till.tokens} are spent" in done.stdout


@pytest.mark.parametrize("fault", [slow(), cut(), cut(-1), raw("half an ans")], ids=["slow", "cut", "gone", "no JSON"])
def test_what_nobody_knows_the_cost_of_counts_as_much_as_was_reserved(asking, server, fault):
    server.script(fault)
    path = asking.run("run", trials=2, llm={**PRICED, "timeout": 1.0})
    (charged,) = charges(path)
    (place, _) = next(iter(placed_answers(path)))
    assert charged.usage.estimated
    assert charged.usage.model_copy(update={"dollars": None}) == upper_bound(place)
    assert charged.usage.dollars == pytest.approx((charged.usage.prompt_tokens + charged.usage.completion_tokens) / 1e6)


def placed_answers(path):
    with open_journal(path) as journal:
        for seq, key in journal.places("answer"):
            yield journal.exchange(seq)[0], key


def test_a_provider_that_refuses_at_once_or_is_not_reached_bills_nothing(asking, server):
    server.script(status(429, headers={"Retry-After": "0"}), status(500), status(503))
    assert charges(asking.run("run", trials=2, llm=PRICED)) == []
    gone = {**PRICED, "base_url": "http://127.0.0.1:1/v1", "retries": 1}
    done = asking.evo("run", asking.write(llm=gone), "--run-dir", asking.folder / "gone")
    assert done.returncode == 4
    assert charges(asking.folder / "gone") == []


def test_a_run_that_fails_for_good_has_logged_what_its_requests_cost(asking, server):
    server.usual = billed_for_nothing()
    path = asking.folder / "run"
    done = asking.evo("run", asking.write(llm={**PRICED, "retries": 2, "concurrency": 1}), "--run-dir", path)
    assert done.returncode == 4
    assert len(charges(path)) == len(server.asked()) == 3


def test_a_provider_that_bills_more_than_was_asked_for_is_told_of_once_and_reserved_for(asking, server):
    server.usual = lambda seen: replace(climb(seen), usage=(10, 5000))
    path = asking.folder / "run"
    llm = {**PRICED, "concurrency": 1}
    done = asking.evo("run", asking.write(trials=60, llm=llm, budget={"tokens": 30_000}), "--run-dir", path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("more than its request allows") == 1
    assert len(server.asked()) * 5010 <= 30_000
    requests = len(server.asked())
    assert asking.evo("resume", path, "--set", "budget.tokens=30050").stderr.count("more than its request allows") == 0
    assert len(server.asked()) == requests, "what was seen is forgotten on resume"


def test_an_answer_that_was_cut_is_noted(asking, server):
    server.usual = lambda seen: replace(climb(seen), finish="length")
    done = asking.evo("run", asking.write(trials=2, llm=PRICED), "--run-dir", asking.folder / "run")
    assert "was cut at" in done.stderr
    assert "tokens: raise max_tokens" in done.stderr


def test_a_first_request_that_is_refused_waits_for_those_beside_it(asking, server):
    refused = threading.Event()

    def refusing(_):
        refused.set()
        return status(400, "too long")

    def answering(seen):
        assert refused.wait(timeout=120)
        return climb(seen)

    server.script(refusing)
    server.usual = answering
    done = asking.evo("run", asking.write(trials=20, repairs=0), "--run-dir", asking.folder / "run")
    assert done.returncode == 0, done.stderr
    assert len(asking.trials(asking.folder / "run")) == 20


def test_first_requests_that_are_all_refused_do_not_wait_for_one_another(asking, server):
    everyone = threading.Barrier(4, timeout=120)

    def refusing(_):
        everyone.wait()
        return status(400, "no such field")

    server.script(*[refusing] * 4)
    server.usual = answer("1.0")
    done = asking.evo("run", asking.write(trials=20), "--run-dir", asking.folder / "run")
    assert done.returncode == 4
    assert "no such field" in done.error
