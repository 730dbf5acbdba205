"""A run is repeated from its log: equal trials, and no model anywhere."""

import itertools
import json
import re
import threading

import pytest
from asking import climb
from fault_server import status

from evograft.drivers.llm.replay import describe_difference
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.session.session import open_session
from evograft_hookspecs import CONTRACT, LlmRequest, Manifest, Message, TrialCommitted, hookimpl


class Overtaking:
    """Every fifth request is answered after two that came later."""

    def __init__(self):
        self._requests = itertools.count()
        self._answered = 0
        self._changed = threading.Condition()

    def __call__(self, seen):
        with self._changed:
            number = next(self._requests)
            if number % 5 == 0:
                self._changed.wait_for(lambda: self._answered >= number + 2, timeout=0.1)
            self._answered += 1
            self._changed.notify_all()
        return climb(seen)


class Listener:
    """Does something at a commit, and remembers what it was told."""

    def __init__(self, at=None, action=None):
        self.at, self.action, self.answers, self.committed = at, action, {}, []

    @hookimpl
    def observe(self, ctx, event):
        if isinstance(event, TrialCommitted):
            self.committed.append(event.trial.number)
            if self.action is not None and event.trial.number == self.at and not event.replayed:
                self.action(self.kernel)
            self.note(ctx, event.trial.number)

    def note(self, ctx, number):
        pass


class Learner(Listener):
    """Asks about every commit."""

    def note(self, ctx, number):
        message = Message(role="user", content=f"{number} | what is there to learn?")
        self.answers[number] = ctx.llm.complete(LlmRequest(messages=(message,), max_tokens=20)).text


def go_on(path, listener, *overrides):
    manifest = Manifest(name="listener", contract=CONTRACT, thread_safe=True)
    plugin = ActivePlugin("listener", listener, manifest, "test")
    with open_session(open_run(path), observers=[plugin], overrides=overrides) as kernel:
        listener.kernel = kernel
        return kernel.run()


def committed(path):
    from evograft.runs.reader import open_journal

    with open_journal(path) as journal:
        return [int(key) for _, key in journal.places("trial")]


WITH = {"questions": 2, "odd_is_invalid": True, "analyzing": True}


@pytest.mark.parametrize("order", ["trial", "arrival"])
def test_a_run_and_its_replay_have_equal_trials_and_the_replay_asks_nobody(asking, server, order):
    server.usual = Overtaking() if order == "arrival" else climb
    source = asking.run("source", order=order, with_=WITH)
    assert committed(source) != sorted(committed(source)) or order == "trial"
    server.close()
    requests = len(server.asked())
    done = asking.evo("run", "--llm", f"replay:{source}", "--run-dir", asking.folder / "again")
    assert done.returncode == 0, done.stderr
    assert asking.trials(asking.folder / "again") == asking.trials(source)
    assert len(server.asked()) == requests
    assert [each.key for each in sorted_answers(asking, asking.folder / "again")] == [
        each.key for each in sorted_answers(asking, source)
    ]


def sorted_answers(asking, path):
    return sorted(asking.answers(path), key=lambda answered: answered.key)


def test_a_replay_with_a_pipeline_of_the_same_settings_is_the_same_run(asking, server):
    source = asking.run("source")
    server.close()
    settings, pipeline = asking.pipeline(), asking.folder / "replaying.json"
    settings["llm"] = {"driver": "replay", "run": str(source), "model": "m"}
    pipeline.write_text(json.dumps(settings))
    done = asking.evo("run", pipeline, "--run-dir", asking.folder / "again")
    assert done.returncode == 0, done.stderr
    assert asking.trials(asking.folder / "again") == asking.trials(source)


@pytest.mark.parametrize("order", ["trial", "arrival"])
def test_a_replay_that_was_killed_anywhere_and_resumed_is_the_same(asking, server, order):
    server.usual = Overtaking() if order == "arrival" else climb
    source = asking.run("source", trials=12, order=order, with_=WITH)
    server.close()
    whole = asking.replay(source, "whole")
    asking.resume(whole)
    for last in range(0, asking.rows(whole), 5):
        cut = asking.cut(whole, f"cut-{last}", after=last)
        asking.resume(cut)
        assert asking.trials(cut) == asking.trials(source), f"cut behind row {last}"


@pytest.mark.parametrize("order", ["trial", "arrival"])
def test_a_run_that_was_stopped_and_went_on_with_other_settings_is_replayed_the_same(asking, server, order):
    server.usual = Overtaking() if order == "arrival" else climb
    source = asking.begin("source", order=order, with_=WITH)
    assert go_on(source, Listener(at=9, action=lambda kernel: kernel.requests.stop("enough"))).outcome == "interrupted"
    go_on(source, Listener(at=15, action=lambda kernel: kernel.requests.stop("again")), "llm.concurrency=2", "window=3")
    asking.resume(source, "llm.concurrency=8", "window=12", "executor.workers=3", "llm.timeout=50.0")
    assert len(asking.trials(source)) == 30
    server.close()
    again = asking.replay(source, "again")
    listener = Listener()
    go_on(again, listener)
    assert asking.trials(again) == asking.trials(source)
    assert listener.committed == (sorted(committed(source)) if order == "trial" else committed(source))


def test_a_run_that_was_stopped_for_good_is_replayed_as_far_as_it_came(asking, server):
    server.usual = Overtaking()
    source = asking.begin("source", order="arrival", with_=WITH)
    go_on(source, Listener(at=9, action=lambda kernel: kernel.requests.stop("enough")))
    server.close()
    again = asking.replay(source, "again")
    asking.resume(again)
    assert 9 < len(asking.trials(again)) < 30
    assert asking.trials(again) == asking.trials(source)


@pytest.mark.parametrize("order", ["trial", "arrival"])
def test_what_people_told_a_run_is_told_in_its_replay_at_the_same_trials(asking, server, order):
    server.usual = Overtaking() if order == "arrival" else climb
    source = asking.begin("source", order=order, trials=60)
    go_on(source, Listener(at=4, action=lambda kernel: kernel.requests.stop("enough")))
    go_on(source, Listener(at=16, action=lambda kernel: kernel.requests.tell("larger steps")))
    assert any("larger steps" in str(trial["proposal"]["advice"]) for trial in asking.trials(source))
    server.close()
    again = asking.replay(source, "again")
    asking.resume(again)
    assert asking.trials(again) == asking.trials(source)


@pytest.mark.parametrize(
    "budget",
    [("plateau=25", "plateau=1"), ("target_score=-5.0", "target_score=-29.0"), ("tokens=100000", "tokens=100")],
)
def test_limits_that_were_lowered_in_the_course_of_a_run_do_not_cut_its_replay(asking, server, budget):
    wide, narrow = (f"budget.{each}" for each in budget)
    source = asking.begin("source", trials=20)
    asking.resume(source, wide)
    asking.resume(source, narrow)
    asking.resume(source, "budget.trials=10")
    assert len(asking.trials(source)) == 20
    server.close()
    again = asking.replay(source, "again")
    asking.resume(again)
    assert asking.trials(again) == asking.trials(source)


def test_a_run_that_spent_its_dollars_is_replayed_whole(asking, server):
    server.usual = Overtaking()
    llm = {"models": [{"name": "m", "price": {"prompt": 100.0, "completion": 200.0}}], "concurrency": 8}
    source = asking.run("source", trials=60, llm=llm, budget={"dollars": 0.05}, order="arrival", with_=WITH)
    assert 3 < len(asking.trials(source)) < 60
    server.close()
    again = asking.replay(source, "again")
    asking.resume(again)
    assert asking.trials(again) == asking.trials(source)


def test_refusals_are_replayed_and_a_first_one_too(asking, server):
    source = asking.run("source", trials=1, repairs=0)
    server.script(*[status(400, "too long")] * 5)
    asking.resume(source, "budget.trials=12")
    assert len([each for each in asking.answers(source) if each.refused]) == 5
    server.close()
    again = asking.replay(source, "again")
    asking.resume(again)
    assert asking.trials(again) == asking.trials(source)


@pytest.mark.parametrize("order", ["trial", "arrival"])
def test_observers_that_ask_get_the_logged_answers_on_resume_and_in_a_replay(asking, server, order):
    server.usual = Overtaking() if order == "arrival" else climb
    source, learner = asking.begin("source", trials=20, order=order), Learner()
    go_on(source, Learner(at=7, action=lambda kernel: kernel.requests.stop("enough")))
    go_on(source, learner, "budget.trials=25")
    assert sorted(learner.answers) == list(range(25))
    assert asking.unlogged(source) == 0
    server.close()
    again, pupil = asking.replay(source, "again"), Learner()
    go_on(again, pupil)
    assert asking.trials(again) == asking.trials(source)
    assert pupil.answers == learner.answers
    go_on(source, pupil)
    assert pupil.answers == learner.answers


def test_a_request_that_was_not_recorded_ends_a_replay(asking, server):
    source, again = asking.run("source", trials=5), asking.folder / "again"
    settings = asking.pipeline(trials=9)
    settings["llm"] = {"driver": "replay", "run": str(source), "model": "m"}
    (asking.folder / "more.json").write_text(json.dumps(settings))
    done = asking.evo("run", asking.folder / "more.json", "--run-dir", again)
    assert done.returncode == 4
    assert f"{source} holds no answer to this request of trial " in done.error
    assert asking.trials(again) == asking.trials(source)


def test_a_replay_of_a_run_that_is_gone_ends_before_the_first_trial(asking):
    source = asking.run("source", trials=5)
    again = asking.replay(source, "again")
    (source / "log.sqlite").unlink()
    done = asking.evo("resume", again)
    assert done.returncode == 4
    assert "the recorded run cannot be read" in done.error


MANY = {"models": [{"name": "m", "price": {"prompt": 1.0, "completion": 2.0}}, {"name": "n", "weight": 0.5}]}


@pytest.mark.long
@pytest.mark.parametrize(
    ("order", "changes"),
    [
        ("trial", ["llm.model=other"]),
        ("arrival", ["llm.model=other"]),
        ("trial", ["llm.models=[{name: m, weight: 0}, {name: other}]"]),
        ("arrival", ["llm.models=[{name: n}, {name: m}, {name: o, weight: 3.0}]", "llm.choice=bandit"]),
        ("trial", ["repairs=0"]),
        ("arrival", ["repairs=3", "operators.asker.mend=0"]),
    ],
    ids=str,
)
def test_a_run_whose_models_or_repairs_changed_is_replayed_with_those_that_each_trial_had(
    asking, server, order, changes
):
    """They hold at once, for trials whose numbers no setting tells; the trials do."""
    server.usual = Overtaking() if order == "arrival" else climb
    source = asking.begin("source", order=order, llm=MANY, with_=WITH, trials=40)
    go_on(source, Learner(at=12, action=lambda kernel: kernel.requests.stop("enough")))
    go_on(source, Learner(), *changes)
    assert len(asking.trials(source)) == 40
    observed = [answered for answered in asking.answers(source) if answered.hook == "observe"]
    assert len(observed) == 40, "what observers were told again they asked again"
    server.close()
    again, pupil = asking.replay(source, "again"), Learner()
    go_on(again, pupil)
    assert asking.trials(again) == asking.trials(source)
    assert sorted(pupil.answers) == list(range(40))


@pytest.mark.parametrize("order", ["trial", "arrival"])
def test_a_replay_can_be_replayed(asking, server, order):
    server.usual = Overtaking() if order == "arrival" else climb
    source = asking.run("source", trials=20, order=order, with_=WITH)
    server.close()
    first = asking.replay(source, "first")
    asking.resume(first)
    second = asking.replay(first, "second")
    asking.resume(second)
    assert asking.trials(second) == asking.trials(source)


def test_a_request_that_became_another_one_is_shown_beside_the_recorded_one(asking, server):
    bold, shy = ({"more": [{"name": "adviser", "with": {"text": f"be {how}"}}], "trials": 5} for how in ("bold", "shy"))
    source = asking.run("source", **bold)
    settings = {**asking.pipeline(**shy), "llm": {"driver": "replay", "run": str(source), "model": "m"}}
    (asking.folder / "shy.json").write_text(json.dumps(settings))
    done = asking.evo("run", asking.folder / "shy.json", "--run-dir", asking.folder / "again")
    assert done.returncode == 4
    # Several trials ask at a time: whichever is the first is told of.
    assert re.search(r"where the prompt said '([^']*)be bold([^']*)' it says '\1be shy\2'", done.error), done.error
    assert "the feedback of an evaluation that differs from time to time" in done.error


ASKED = LlmRequest(messages=(Message(role="user", content="one\ntwo"),), max_tokens=5)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"messages": (Message(role="user", content="one\nthree"),)}, "where the prompt said 'two' it says 'three'"),
        ({"messages": (Message(role="user", content="one"),)}, "where the prompt said 'two' it says ''"),
        ({"messages": ASKED.messages * 2}, "the prompt had 1 messages and has 2"),
        ({"max_tokens": 6}, "its max_tokens is another one"),
    ],
)
def test_the_first_difference_of_two_requests_is_named(changes, words):
    assert describe_difference(ASKED, ASKED.model_copy(update=changes)) == words
