"""Answers come from the log wherever it holds them: after a kill, at a second attempt, for observers, under any order."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from asking import climb
from fault_server import status

from evograft.errors import PluginError
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.session.session import open_session
from evograft_hookspecs import (
    CONTRACT,
    CallFinished,
    Candidate,
    LlmRefused,
    LlmRequest,
    Manifest,
    Message,
    Operator,
    Proposal,
    hookimpl,
)


def ask(ctx, text="0 | what now?"):
    return ctx.llm.complete(LlmRequest(messages=(Message(role="user", content=text),), max_tokens=20)).text


class Asker:
    """Proposes itself, and asks as a test wants it to."""

    manifest = Manifest(name="other", contract=CONTRACT, operators=(Operator(name="go"),), thread_safe=True)

    def __init__(self):
        self.heard = []

    @hookimpl
    def propose(self, selection):
        return (Proposal(id="go", operator="other.go", weight=1e15),)

    @hookimpl
    def mutate(self, ctx, proposal):
        return Candidate.of(self.think(ctx), kind="number", operator=proposal.operator, trial=ctx.trial)

    @hookimpl
    def observe(self, ctx, event):
        if isinstance(event, CallFinished):
            self.heard.append(event)

    def think(self, ctx):
        return ask(ctx)


def go_on(path, plugin, *overrides):
    active = ActivePlugin("other", plugin, plugin.manifest, "test")
    with open_session(open_run(path), observers=[active], overrides=overrides) as kernel:
        return kernel.run()


def test_a_hook_that_fails_behind_its_question_is_answered_from_the_log_at_its_next_attempt(asking, server):
    class Flaky(Asker):
        def __init__(self):
            super().__init__()
            self.failed = set()

        def think(self, ctx):
            text = ask(ctx) + ask(ctx)
            if ctx.trial not in self.failed:
                self.failed.add(ctx.trial)
                raise OSError("flaky")
            assert text.count(".") == 2
            return "1"

    path = asking.begin("run", trials=5)
    go_on(path, Flaky())
    assert len(server.asked()) == 10
    assert asking.unlogged(path) == 0
    assert {trial["evaluation"]["status"] for trial in asking.trials(path)} == {"ok"}


def test_observers_hear_of_every_call_and_which_came_from_the_log(asking, server):
    server.script(status(500))
    path, plugin = asking.begin("run", trials=6), Asker()
    go_on(path, plugin)
    assert sorted(event.trial for event in plugin.heard) == list(range(6))
    assert {(event.hook, event.plugin, event.model, event.from_log) for event in plugin.heard} == {
        ("mutate", "other", "m", False)
    }
    assert all(event.usage.prompt_tokens == 11 for event in plugin.heard)
    answers = [seq for seq in range(asking.rows(path)) if kind_of(path, seq) == "answer"]
    cut, again = asking.cut(path, "cut", after=answers[2]), Asker()
    go_on(cut, again)
    assert sum(event.from_log for event in again.heard) == 3 - sum(
        kind_of(path, seq) == "trial" for seq in range(answers[2])
    )


def kind_of(path, seq):
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path / "log.sqlite")) as db:
        return db.execute("SELECT kind FROM rows WHERE seq = ?", (seq,)).fetchone()[0]


def test_equal_questions_of_one_hook_have_answers_of_their_own_from_any_thread(asking, server):
    class Parallel(Asker):
        def think(self, ctx):
            with ThreadPoolExecutor(4) as threads:
                return max(threads.map(lambda _: ask(ctx), range(6)))

    path = asking.begin("run", trials=3)
    go_on(path, Parallel())
    keys = [answered.key for answered in asking.answers(path)]
    assert len(set(keys)) == len(keys) == 18
    assert sorted(key.rpartition(":")[2] for key in keys) == sorted("012345" * 3)


def test_the_end_of_a_run_reaches_a_hook_that_asks_from_threads_of_its_own(asking, server):
    class Careless(Asker):
        def think(self, ctx):
            with ThreadPoolExecutor(2) as threads:
                for _ in range(2):
                    threads.submit(ask, ctx)
            return "1"

    server.usual = status(401)
    path = asking.begin("run", trials=3)
    with pytest.raises(Exception, match="HTTP 401"):
        go_on(path, Careless())
    assert asking.trials(path) == []


def test_waiting_for_a_model_does_not_count_against_a_deadline_and_time_after_it_does(asking, server):
    class Hanging(Asker):
        def think(self, ctx):
            try:
                return ask(ctx)
            except LlmRefused:
                threading.Event().wait()

    waiting = threading.Event()

    def late(seen):
        waiting.wait(0.6)
        return climb(seen)

    path = asking.run("run", trials=1)
    server.script(late, late, status(400, "too long"), late)
    go_on(path, Hanging(), "budget.trials=5", "deadlines.mutate=0.2", "repairs=0")
    reasons = sorted(trial["evaluation"]["reason"] for trial in asking.trials(path))
    assert reasons == ["", "", "", "", "time-out: mutate ran for more than 0.2 s"]


def test_a_driver_that_breaks_is_to_blame_itself(asking, monkeypatch):
    from evograft_models.openai import OpenAiLlm

    def broken(self, call, *, timeout):
        raise KeyError("choices")

    monkeypatch.setattr(OpenAiLlm, "complete", broken)
    for with_ in ({}, {"stubborn": True}):
        path = asking.begin(f"run-{len(with_)}", trials=3, with_=with_)
        with pytest.raises(PluginError, match="llm driver 'openai' raised KeyError: 'choices'"):
            asking.resume(path)
        assert asking.trials(path) == []


def test_a_driver_that_answers_with_something_else_is_to_blame_itself(asking, monkeypatch):
    from evograft_models.openai import OpenAiLlm

    monkeypatch.setattr(OpenAiLlm, "complete", lambda self, call, *, timeout: "4.0")
    path = asking.begin("run", trials=3)
    with pytest.raises(PluginError, match="llm driver 'openai' returned str, expected LlmAnswer"):
        asking.resume(path)


@pytest.mark.parametrize("executor", [{"driver": "threads", "workers": 1}, {"driver": "processes", "workers": 2}])
def test_a_run_is_the_same_whatever_carries_out_its_evaluations(asking, server, executor):
    path = asking.run("run", executor=executor, with_={"questions": 2})
    assert asking.trials(path) == asking.undisturbed(with_={"questions": 2})


def test_a_run_by_arrival_that_was_killed_anywhere_goes_on_asks_nothing_again_and_is_replayed(asking, server):
    rng = random.Random(3)

    def jumbled(seen):
        threading.Event().wait(rng.uniform(0, 0.01))
        return climb(seen)

    server.usual = jumbled
    path = asking.run("run", trials=16, order="arrival", with_={"questions": 2})
    for last in range(1, asking.rows(path) - 1, 11):
        cut = asking.cut(path, f"cut-{last}", after=last)
        logged, finished = len(asking.answers(cut)), asking.trials(cut)
        server.seen.clear()
        asking.resume(cut)
        answers = asking.answers(cut)
        assert len({answered.key for answered in answers}) == len(answers)
        assert len(server.asked()) == len(answers) - logged
        assert len(asking.trials(cut)) == 16
        assert all(trial in asking.trials(cut) for trial in finished)
        again = asking.replay(cut, f"again-{last}")
        asking.resume(again)
        assert asking.trials(again) == asking.trials(cut)
