"""Plugins that ask on the kernel's thread, in `propose` and `observe`: a run that ends there goes on as if it had not."""

import itertools

import pytest
from asking import climb
from fault_server import FaultServer, status

from evograft.errors import ServiceError
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.session.session import open_session
from evograft_hookspecs import (
    CONTRACT,
    Advice,
    LlmRequest,
    Manifest,
    Message,
    TrialCommitted,
    hookimpl,
)

PRICED = {"models": [{"name": "m", "price": {"prompt": 100.0, "completion": 200.0}}], "retries": 1}


class Thinker:
    """Asks for advice before each trial, and for a lesson after each commit."""

    def __init__(self):
        self.lessons = {}

    @hookimpl
    def propose(self, ctx, selection):
        return (Advice(id="thought", text=ask(ctx, f"{ctx.trial} | advice for {selection.parents}")),)

    @hookimpl
    def observe(self, ctx, event):
        if isinstance(event, TrialCommitted):
            self.lessons[event.trial.number] = ask(ctx, f"{event.trial.number} | lesson")


def ask(ctx, text):
    return ctx.llm.complete(LlmRequest(messages=(Message(role="user", content=text),), max_tokens=20)).text


def go_on(path, thinker, *overrides):
    manifest = Manifest(name="thinker", contract=CONTRACT, thread_safe=True)
    plugin = ActivePlugin("thinker", thinker, manifest, "test")
    with open_session(open_run(path), observers=[plugin], overrides=overrides) as kernel:
        return kernel.run()


@pytest.fixture
def undisturbed(asking):
    """Trials and lessons of a run that nothing happens to."""
    with FaultServer() as server:
        server.usual = climb
        path, thinker = asking.begin("undisturbed", trials=20, llm={**PRICED, "base_url": server.base_url}), Thinker()
        go_on(path, thinker)
    return asking.trials(path), thinker.lessons


@pytest.mark.parametrize("order", ["trial", "arrival"])
@pytest.mark.parametrize("limit", [0.01, 0.07])
def test_a_budget_that_is_spent_between_trials_stops_the_run_and_it_goes_on(asking, undisturbed, limit, order):
    path = asking.begin("run", trials=20, llm=PRICED, budget={"dollars": limit}, order=order)
    for larger in (limit, 2 * limit, 3 * limit):
        ended = go_on(path, Thinker(), f"budget.dollars={larger}")
        assert ended.outcome == "complete"
        assert sum(answered.usage.dollars for answered in asking.answers(path)) <= larger
    thinker = Thinker()
    go_on(path, thinker, "budget.dollars=10.0")
    assert asking.unlogged(path) == 0
    assert sorted(thinker.lessons) == list(range(20))
    if order == "trial":
        assert (asking.trials(path), thinker.lessons) == undisturbed


@pytest.mark.parametrize("healthy", range(0, 40, 13))
def test_a_provider_that_fails_between_trials_ends_the_run_and_it_goes_on(asking, server, undisturbed, healthy):
    requests = itertools.count()
    server.usual = lambda seen: climb(seen) if next(requests) < healthy else status(500)
    path = asking.begin("run", trials=20, llm=PRICED)
    with pytest.raises(ServiceError, match="HTTP 500"):
        go_on(path, Thinker())
    server.usual = climb
    thinker = Thinker()
    go_on(path, thinker)
    assert (asking.trials(path), thinker.lessons) == undisturbed
    assert len({answered.key for answered in asking.answers(path)}) == len(asking.answers(path)) == 3 * 20


def test_killed_anywhere_between_trials_it_goes_on_the_same(asking, server, undisturbed):
    path = asking.begin("run", trials=20, llm=PRICED)
    go_on(path, Thinker())
    for last in range(1, asking.rows(path) - 1, 13):
        cut, thinker = asking.cut(path, f"cut-{last}", after=last), Thinker()
        logged = len(asking.answers(cut))
        server.seen.clear()
        go_on(cut, thinker)
        assert (asking.trials(cut), thinker.lessons) == undisturbed
        assert len(server.asked()) == 60 - logged


def test_the_replay_of_a_run_that_thinks_between_trials_is_the_same(asking, server, undisturbed):
    path = asking.begin("run", trials=20, llm=PRICED)
    go_on(path, Thinker())
    server.close()
    again, thinker = asking.replay(path, "again"), Thinker()
    go_on(again, thinker)
    assert (asking.trials(again), thinker.lessons) == undisturbed


def test_an_observer_whose_question_is_refused_is_left_out_and_the_run_goes_on(asking, server):
    server.usual = lambda seen: status(400, "too long") if seen.prompt == "3 | lesson" else climb(seen)
    path, thinker = asking.begin("run", trials=10), Thinker()
    assert go_on(path, thinker).outcome == "complete"
    assert sorted(thinker.lessons) == [0, 1, 2]
    assert len(asking.trials(path)) == 10
