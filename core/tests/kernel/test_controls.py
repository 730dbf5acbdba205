"""Instructions, stops and changed settings are rows of the log, told before the first trial that they affect."""

import time

from evograft.log.records import Finished, Header
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft.session.session import open_session
from evograft_hookspecs import CONTRACT, Control, ControlApplied, Manifest, TrialCommitted, hookimpl


class Listener:
    """Does something at a commit, and remembers the order of events."""

    def __init__(self, at=None, action=None):
        self.at, self.action, self.events = at, action, []

    @hookimpl
    def observe(self, event):
        if isinstance(event, TrialCommitted):
            self.events.append(event.trial.number)
            if event.trial.number == self.at and not event.replayed:
                self.action(self)
        elif isinstance(event, ControlApplied):
            self.events.append((event.control.kind, event.control.first_trial, event.replayed))

    def as_plugin(self):
        return ActivePlugin("listener", self, Manifest(name="listener", contract=CONTRACT, thread_safe=True), "test")


def go_on(path, listener, *overrides):
    with open_session(open_run(path), observers=[listener.as_plugin()], overrides=overrides) as kernel:
        listener.kernel = kernel
        return kernel.run()


def controls(path):
    with open_journal(path) as journal:
        return [record for record in journal.records() if isinstance(record, Control)]


def test_an_instruction_reaches_every_trial_that_is_opened_after_it(runs):
    path = runs.run("run", trials=1)
    listener = Listener(at=20, action=lambda self: self.kernel.requests.tell("try beam search"))
    go_on(path, listener, "budget.trials=60")
    settings, told = controls(path)
    assert (settings.kind, told.kind, told.text) == ("settings", "tell", "try beam search")
    trials = runs.trials(path)
    with_it = [
        trial["number"]
        for trial in trials
        if trial["proposal"] and "try beam search" in [advice["text"] for advice in trial["proposal"]["advice"]]
    ]
    assert with_it == list(range(told.first_trial, 60))
    assert 20 < told.first_trial <= 20 + 8 + 8
    assert listener.events.index(("tell", told.first_trial, False)) < listener.events.index(told.first_trial)


def test_instructions_survive_a_resume(runs):
    path = runs.run("run", trials=1)
    go_on(path, Listener(at=10, action=lambda self: self.kernel.requests.tell("shorter")), "budget.trials=30")
    listener = Listener()
    go_on(path, listener, "budget.trials=40")
    assert ("tell", controls(path)[1].first_trial, True) in listener.events
    texts = [[advice["text"] for advice in trial["proposal"]["advice"]] for trial in runs.trials(path)[30:]]
    assert all("shorter" in each for each in texts)


class Asker(Listener):
    """Notes what each trial's hooks are told that people have asked for."""

    def __init__(self, **told):
        super().__init__(**told)
        self.asked = {}

    @hookimpl
    def propose(self, ctx, selection):
        self.asked[ctx.trial] = [advice.text for advice in ctx.instructions]
        return ()


def test_hooks_know_the_instructions_of_a_trial_before_it_is_opened_and_after_a_resume(runs):
    path = runs.run("run", trials=1)
    asker = Asker(at=10, action=lambda self: self.kernel.requests.tell("shorter"))
    go_on(path, asker, "budget.trials=30")
    first = controls(path)[1].first_trial
    again = Asker()
    go_on(path, again, "budget.trials=40")
    asked = asker.asked | again.asked
    assert max(asked) == 39
    assert {trial: texts == ["shorter"] for trial, texts in asked.items()} == {trial: trial >= first for trial in asked}


def test_a_stop_finishes_what_is_in_flight_and_changes_no_trial(runs):
    whole = runs.trials(runs.run("whole", trials=200))
    path = runs.run("cut", trials=1)
    ended = go_on(path, Listener(at=50, action=lambda self: self.kernel.requests.stop("enough")), "budget.trials=200")
    assert (ended.outcome, ended.reason) == ("interrupted", "enough")
    cut = runs.trials(path)
    assert 51 <= len(cut) < 200
    assert cut == whole[: len(cut)]
    go_on(path, Listener())
    assert runs.trials(path) == whole


def test_a_changed_window_and_weights_hold_behind_what_may_be_in_flight(runs):
    path = runs.run("run", trials=40, window=4)
    before = runs.trials(path)
    runs.resume(path, "window=10", "operators.lab.jump=0", "budget.trials=90")
    trials = runs.trials(path)
    assert trials[:40] == before
    assert [epoch.first_trial for epoch in open_run(path).epochs] == [0, 44]
    for trial in trials[40:44]:
        assert trial["view"] == trial["number"] - 3
    for trial in trials[44:]:
        assert trial["view"] == max(trial["number"] - 9, trials[trial["number"] - 1]["view"])
        assert trial["proposal"]["operator"] != "lab.jump"
    # Cut anywhere and resumed, it is the same again: the epochs are in the lock file.
    again = runs.run("again", trials=40, window=4)
    runs.resume(again, "window=10", "operators.lab.jump=0", "budget.trials=42")
    runs.resume(again, "budget.trials=47")
    runs.resume(again, "budget.trials=90")
    assert runs.trials(again) == trials


def test_the_log_begins_with_a_header_that_names_the_run_and_its_beginning(runs):
    before = time.time()
    path = runs.run("run", trials=5, seed=11)
    with open_journal(path) as journal:
        header, *others = journal.records()
    assert header == Header(open_run(path).id, "run", 11, CONTRACT, at=header.at)
    finished = [record.at for record in others if isinstance(record, Finished)]
    assert before <= header.at <= min(finished)


def test_resuming_a_finished_run_adds_nothing_to_its_log(runs):
    path = runs.run("run", trials=30)
    with open_journal(path) as journal:
        before = list(journal.records())
    runs.resume(path)
    with open_journal(path) as journal:
        assert list(journal.records()) == before


def test_a_run_is_judged_once_more_when_it_ends_and_again_only_when_it_went_on(runs):
    path = runs.run("run", trials=30)
    runs.resume(path)
    runs.resume(path, "budget.trials=60")
    with open_journal(path) as journal:
        judged = [record for record in journal.records() if type(record).__name__ == "FinalEvaluation"]
    assert [each.commits for each in judged] == [30, 60]
