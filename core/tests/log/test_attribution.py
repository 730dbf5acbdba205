"""A trial is put down to the model that made its candidate: one that was called in the work that led to it."""

import threading

import pytest
from asking import climb
from fault_server import answer, status

from evograft.errors import HookAborted
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft.session.session import open_session
from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    LlmRefused,
    LlmRequest,
    Manifest,
    Message,
    Operator,
    Proposal,
    TrialCommitted,
    hookimpl,
)


class Writer:
    """Writes a number, once it has asked models one after another."""

    manifest = Manifest(name="writer", contract=CONTRACT, operators=(Operator(name="write"),), thread_safe=True)

    def __init__(self, *models, number=0, drawn=""):
        self.models, self.number, self.drawn = models, number, drawn
        self.told = {}

    @hookimpl
    def propose(self, selection):
        return (Proposal(id="write", operator="writer.write", weight=1e15, model=self.drawn),)

    @hookimpl
    def mutate(self, ctx, proposal):
        for count, model in enumerate(self.models):
            message = Message(role="user", content=f"0 | {count}, trial {ctx.trial}")
            try:
                ctx.llm.complete(LlmRequest(messages=(message,), max_tokens=20, model=model))
            except LlmRefused:
                continue
        return Candidate.of(f"{self.number}", kind="number", operator=proposal.operator, trial=ctx.trial)

    @hookimpl
    def observe(self, event):
        if isinstance(event, TrialCommitted):
            self.told[event.trial.number] = event.trial.model

    def work(self, path, *overrides):
        with open_session(open_run(path), observers=[self.plugin()], overrides=overrides) as kernel:
            kernel.run()

    def plugin(self):
        return ActivePlugin(self.manifest.name, self, self.manifest, "test")


MODELS = {"models": ["m", "n", "o"]}


def models_of(path):
    """By trial the model that the log names, on a first look at it."""
    with open_journal(path) as journal:
        return {number: journal.trial(number).model for number in trials_in(journal)}


def trials_in(journal):
    list(journal.records())
    return sorted(journal.finished_trials())


def test_a_trial_whose_killed_work_asked_a_model_and_whose_own_asked_none_has_none(asking, server):
    cut = killed_after_an_answer(asking, "m")
    free = Writer()
    free.work(cut)
    assert len(asking.answers(cut)) == 1
    assert models_of(cut) == free.told == {0: ""}


def test_a_trial_that_was_refused_is_not_put_down_to_a_model_that_answered_before_a_kill(asking, server):
    cut = killed_after_an_answer(asking, "m")
    server.script(status(400, "too long"))
    other = Writer("n")
    other.work(cut)
    assert [each.model for each in asking.answers(cut)] == ["m", "n"]
    assert models_of(cut) == other.told == {0: "n"}


def test_a_trial_that_was_killed_after_its_answer_has_the_model_whose_logged_answer_it_uses(asking, server):
    cut = killed_after_an_answer(asking, "m")
    again = Writer("m")
    again.work(cut)
    assert len(server.asked()) == 1
    assert models_of(cut) == again.told == {0: "m"}


def killed_after_an_answer(asking, model):
    path = asking.begin("run", trials=1, llm=MODELS)
    Writer(model).work(path)
    (seq,) = [seq for seq, _ in places_of_answers(path)]
    return asking.cut(path, "cut", after=seq)


def places_of_answers(path):
    with open_journal(path) as journal:
        return list(journal.places("answer"))


@pytest.mark.parametrize(
    ("models", "drawn", "author"),
    [
        ("mnm", "o", "m"),
        ("mn", "m", "m"),
        ("mn", "o", "n"),
        ("", "o", ""),
    ],
    ids=["the last one again", "the drawn one", "the last one", "none"],
)
def test_of_several_models_that_answered_it_is_the_one_that_was_drawn_or_else_the_last(
    asking, server, models, drawn, author
):
    path = asking.begin("run", trials=2, llm=MODELS)
    writer = Writer(*models, drawn=drawn)
    writer.work(path)
    assert models_of(path) == writer.told == {0: author, 1: author}


def test_a_model_that_refused_makes_way_for_one_that_answered(asking, server):
    path = asking.begin("run", trials=2, llm=MODELS)
    server.usual = lambda seen: status(400, "too long") if seen.body["model"] == "m" else climb(seen)
    writer = Writer("n", "m", drawn="m")
    writer.work(path)
    assert models_of(path) == writer.told == {0: "n", 1: "n"}


class Repairer(Writer):
    """Writes an odd number without a model, which is invalid, and asks one to repair it."""

    manifest = Manifest(
        name="repairer",
        contract=CONTRACT,
        operators=(Operator(name="write"), Operator(name="repair", repairs=True)),
        thread_safe=True,
    )

    @hookimpl
    def propose(self, selection):
        return (Proposal(id="write", operator="repairer.write", weight=1e15),)

    @hookimpl
    def mutate(self, ctx, proposal):
        message = Message(role="user", content=f"0 | repair {ctx.trial}")
        request = LlmRequest(messages=(message,), max_tokens=20)
        number = ctx.llm.complete(request).text if proposal.failed else "3"
        return Candidate.of(number, kind="number", operator=proposal.operator, trial=ctx.trial)


@pytest.mark.parametrize(("repaired", "made_by"), [(True, "m"), (False, "")])
def test_a_model_that_was_to_repair_a_candidate_has_made_it_only_if_it_did(asking, server, repaired, made_by):
    path = asking.begin("run", trials=3, llm={"models": ["m"], "concurrency": 1}, with_={"odd_is_invalid": True})
    server.script(answer("4"))
    server.usual = answer("4") if repaired else status(400, "too long")
    repairer = Repairer()
    repairer.work(path)
    assert len(server.asked()) == 3, "the model was asked to repair each candidate"
    assert repairer.told == models_of(path) == {0: "m", 1: made_by, 2: made_by}


class Late(Writer):
    """Asks a model when its trial has ended for taking too long."""

    def __init__(self):
        super().__init__("m")
        self.committed, self.returned, self.ends = threading.Event(), threading.Event(), []

    @hookimpl
    def mutate(self, ctx, proposal):
        assert self.committed.wait(60), "its trial never ended"
        try:
            return super().mutate(ctx, proposal)
        except BaseException as err:
            self.ends.append(type(err))
            raise
        finally:
            self.returned.set()

    @hookimpl
    def observe(self, event):
        super().observe(event)
        if self.told and not self.committed.is_set():
            self.committed.set()
            assert self.returned.wait(60), "the late hook hangs"


def test_a_hook_that_was_given_up_asks_no_model_any_more(asking, server):
    path = asking.begin("run", trials=1, llm=MODELS, deadlines={"mutate": 0.2})
    late = Late()
    late.work(path)
    assert late.ends == [HookAborted]
    assert (server.asked(), asking.answers(path)) == ([], [])
    assert models_of(path) == late.told == {0: ""}
