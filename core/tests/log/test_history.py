"""A hook reads just those trials that it may know, however many are committed by then."""

import pytest

from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft.session.session import open_session
from evograft_hookspecs import (
    CONTRACT,
    Advice,
    Candidate,
    EnvironmentReport,
    Manifest,
    Operator,
    Proposal,
    TrialCommitted,
    hookimpl,
)


def known(ctx, *, numbers=80):
    """The trials that a hook can name, and those that it is told are the newest."""
    named = []
    for number in range(-2, numbers):
        try:
            named.append(ctx.history.trial(number).number)
        except KeyError:
            continue
    latest = [trial.number for trial in ctx.history.latest(numbers)]
    assert [trial.number for trial in ctx.history.latest(3)] == latest[-3:]
    assert ctx.history.latest(0) == ()
    assert sorted(latest) == named
    return latest


class Historian:
    """Writes what it knows into advice and candidates, so that it is compared."""

    manifest = Manifest(name="historian", contract=CONTRACT, operators=(Operator(name="read"),), thread_safe=True)

    def __init__(self):
        self.known = {}

    @hookimpl
    def setup_env(self, ctx):
        assert known(ctx) == []
        return EnvironmentReport()

    @hookimpl
    def propose(self, ctx, selection):
        self.known["propose", ctx.trial] = known(ctx)
        text = f"{known(ctx)} {[ctx.history.trial(number).candidate.parents for number in selection.parents]}"
        return (
            Proposal(id="read", operator="historian.read", weight=2.0),
            Advice(id="known", text=text),
        )

    @hookimpl
    def mutate(self, ctx, proposal, parents):
        self.known["mutate", ctx.trial] = known(ctx)
        source = str(len(known(ctx)) / 8 + ctx.rng.random())
        return Candidate.of(source, kind="number", operator=proposal.operator, trial=ctx.trial)

    @hookimpl
    def observe(self, ctx, event):
        if isinstance(event, TrialCommitted):
            self.known["observe", event.trial.number] = known(ctx)


def go_on(path, historian, *overrides):
    plugin = ActivePlugin("historian", historian, Historian.manifest, "test")
    with open_session(open_run(path), observers=[plugin], overrides=overrides) as kernel:
        kernel.run()


def begin(runs, name, **settings):
    from evograft.config.loading import pipeline_from
    from evograft.session.start import start_run

    pipeline = pipeline_from(runs.pipeline(**settings), source="test")
    return start_run(pipeline, runs=runs.folder, folder=runs.folder / name).path


def in_order_of_commits(runs, path, order):
    with open_journal(path) as journal:
        finished = [int(key) for _, key in journal.places("trial")]
    return finished if order == "arrival" else sorted(finished)


@pytest.mark.parametrize("order", ["trial", "arrival"])
def test_a_hook_knows_the_trials_of_its_view_and_no_others(runs, order):
    executor = {"driver": "threads", "workers": 8}
    path = begin(runs, "run", trials=60, order=order, executor=executor, with_={"durations": "adversarial"})
    historian = Historian()
    go_on(path, historian)
    order_of_commits = in_order_of_commits(runs, path, order)
    views = {trial["number"]: trial["view"] for trial in runs.trials(path)}
    assert {"propose", "mutate", "observe"} == {hook for hook, _ in historian.known}
    for (hook, number), numbers in historian.known.items():
        if hook == "observe":
            assert numbers == order_of_commits[: order_of_commits.index(number) + 1]
        else:
            assert numbers == order_of_commits[: views[number]], (hook, number)


def test_what_hooks_know_is_the_same_with_1_and_with_8_workers(runs):
    known = []
    for workers in (1, 8):
        executor = {"driver": "threads", "workers": workers}
        path = begin(runs, str(workers), trials=60, executor=executor, with_={"durations": "adversarial"})
        historian = Historian()
        go_on(path, historian)
        known.append((runs.trials(path), historian.known))
    assert known[0] == known[1]


@pytest.mark.long
@pytest.mark.parametrize("order", ["trial", "arrival"])
def test_what_hooks_know_is_the_same_when_a_run_is_resumed(runs, order):
    executor = {"driver": "threads", "workers": 8}
    path = begin(runs, "run", trials=20, order=order, executor=executor, with_={"durations": "adversarial"})
    first, second = Historian(), Historian()
    go_on(path, first)
    go_on(path, second, "budget.trials=40")
    order_of_commits = in_order_of_commits(runs, path, order)
    views = {trial["number"]: trial["view"] for trial in runs.trials(path)}
    for (hook, number), numbers in (first.known | second.known).items():
        if hook != "observe":
            assert numbers == order_of_commits[: views[number]]
    observed = {key: numbers for key, numbers in first.known.items() if key[0] == "observe"}
    assert observed.items() <= second.known.items()


def test_a_trial_that_is_read_back_is_the_whole_trial(runs):
    class Comparing(Historian):
        def __init__(self):
            super().__init__()
            self.told = {}

        @hookimpl
        def observe(self, ctx, event):
            if isinstance(event, TrialCommitted):
                self.told[event.trial.number] = event.trial
                assert all(ctx.history.trial(number) == trial for number, trial in self.told.items())
                assert ctx.history.latest(99) == tuple(self.told.values())

    path = begin(runs, "run", trials=40, with_={"padding": 6000})
    comparing = Comparing()
    go_on(path, comparing)
    assert len(comparing.told) == 40
