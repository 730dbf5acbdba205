"""A rejected candidate goes back within its trial, with the reason, so often and no more."""

import pytest
from asking import climb
from fault_server import answer, status

from evograft.log.records import Finished
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft.session.session import open_session
from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    Manifest,
    Operator,
    Proposal,
    TrialCommitted,
    hookimpl,
)


def failed(seen):
    """What a question says of earlier attempts."""
    return seen.prompt.split(" | ")[2]


def number_at_attempt(wanted):
    """Answers that hold no number until so many attempts have failed."""
    return lambda seen: climb(seen) if failed(seen).count("no number") >= wanted else answer("hm")


def test_an_answer_without_a_number_goes_back_with_the_reason_and_the_answer(asking, server):
    server.usual = number_at_attempt(1)
    path = asking.run("run", trials=6)
    for trial in asking.trials(path):
        assert trial["evaluation"]["status"] == "ok"
        assert trial["proposal"]["operator"] == "asker.ask"
        assert trial["candidate"]["operator"] == "asker.mend"
        assert trial["attempts"] == [{"candidate": None, "draft": "", "reason": "no number", "feedback": ""}]
    assert {failed(seen) for seen in server.asked()} == {"", "no numberhm"}
    assert len(server.asked()) == 12


def test_a_candidate_that_evaluate_rejects_goes_back_with_the_reason(asking, server):
    server.usual = lambda seen: answer("4" if failed(seen) else "3")
    path = asking.run("run", trials=1, with_={"odd_is_invalid": True})
    (trial,) = asking.trials(path)
    assert trial["candidate"]["files"] == {"main": "4.0"}
    assert trial["candidate"]["operator"] == "asker.mend"
    (attempt,) = trial["attempts"]
    assert (attempt["candidate"]["files"], attempt["candidate"]["operator"]) == ({"main": "3.0"}, "asker.ask")
    assert (attempt["draft"], attempt["reason"]) == ("", "3 is odd")
    assert [failed(seen) for seen in server.asked()] == ["", "3 is odd"]


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_it_goes_back_as_often_as_repairs_says_and_no_more(asking, server, repairs):
    server.usual = answer("hm")
    path = asking.run("run", trials=4, repairs=repairs)
    assert len(server.asked()) == 4 * (repairs + 1)
    for trial in asking.trials(path):
        assert (trial["evaluation"]["status"], trial["evaluation"]["reason"]) == ("rejected", "no number")
        assert [attempt["reason"] for attempt in trial["attempts"]] == ["no number"] * repairs
    assert max(failed(seen).count("no number") for seen in server.asked()) == repairs


def test_it_goes_back_until_it_is_mended(asking, server):
    server.usual = number_at_attempt(2)
    path = asking.run("run", trials=4, repairs=5)
    assert len(server.asked()) == 4 * 3
    assert {len(trial["attempts"]) for trial in asking.trials(path)} == {2}


def test_a_mender_whose_weight_is_0_is_not_asked(asking, server):
    server.usual = answer("hm")
    path = asking.run("run", trials=4, operators={"asker.mend": 0})
    assert len(server.asked()) == 4
    assert {trial["evaluation"]["status"] for trial in asking.trials(path)} == {"rejected"}
    assert not any(trial["attempts"] for trial in asking.trials(path))


def test_each_attempt_has_answers_of_its_own(asking, server):
    server.usual = number_at_attempt(2)
    path = asking.run("run", trials=3, repairs=2, with_={"questions": 2})
    keys = [answered.key for answered in asking.answers(path)]
    assert len(set(keys)) == len(keys) == 3 * 3 * 2
    places = {key.split(":")[0] for key in keys}
    assert places == {f"{trial}/mutate/asker/{attempt}" for trial in range(3) for attempt in range(3)}


def test_a_trial_that_is_cut_off_anywhere_in_its_repairs_ends_the_same(asking, server):
    server.usual = number_at_attempt(2)
    path = asking.run("run", trials=3, repairs=2, window=1)
    rows = asking.rows(path)
    for last in range(1, rows - 1):
        server.seen.clear()
        cut = asking.cut(path, f"cut-{last}", after=last)
        logged = len(asking.answers(cut))
        asking.resume(cut)
        assert asking.trials(cut) == asking.trials(path)
        assert len(server.asked()) == 9 - logged


def test_a_refused_question_goes_back_too(asking, server):
    path = asking.run("run", trials=1)
    server.script(status(400, "too long"))
    asking.resume(path, "budget.trials=2")
    trial = asking.trials(path)[1]
    assert trial["evaluation"]["status"] == "ok"
    (attempt,) = trial["attempts"]
    assert attempt["reason"].startswith("no answer from a model: ")
    assert attempt["reason"].endswith("HTTP 400: too long")


def test_a_trial_whose_repair_gives_nothing_keeps_what_was_measured_before(asking, server):
    server.usual = lambda seen: status(400, "too long") if failed(seen) else answer("3")
    path = asking.run("run", trials=1, with_={"odd_is_invalid": True, "measures_odd": True})
    with open_journal(path) as journal:
        (finished,) = (record for record in journal.records() if isinstance(record, Finished))
    trial = finished.trial
    assert (trial.attempts, trial.candidate.operator) == ((), "asker.ask")
    assert (trial.evaluation.reason, trial.evaluation.feedback) == ("3 is odd", "even ones only")
    assert (trial.evaluation.metrics, trial.evaluation.stage) == ({"size": 3.0}, "parity")
    assert (finished.durations, finished.cost) == ({"measuring": 0.5}, 0.25)


def test_long_programs_of_attempts_are_kept_beside_the_log_too(asking, server):
    """The same program over and over: rejected, mended, rejected again."""
    path, agent = asking.begin("run", trials=2, repairs=3, with_={"odd_is_invalid": True}), Verbose()
    manifest = ActivePlugin("verbose", agent, Verbose.manifest, "test")
    with open_session(open_run(path), observers=[manifest]) as kernel:
        kernel.run()
    for trial in asking.trials(path):
        assert len(trial["attempts"]) == 3
        for each in (trial, *trial["attempts"]):
            assert each["candidate"]["files"]["main"] == f"{'0' * 9000}1"
    assert asking.texts(path).count("0" * 9000) == 1
    told = agent.told
    with open_session(open_run(path), observers=[manifest]) as kernel:
        kernel.run()
    assert agent.told[len(told) // 2 :] == told[: len(told) // 2]


class Verbose:
    """Makes long numbers that are odd, and mends them by making them again."""

    manifest = Manifest(
        name="verbose",
        contract=CONTRACT,
        operators=(Operator(name="make"), Operator(name="mend", repairs=True)),
        thread_safe=True,
    )

    def __init__(self):
        self.told = []

    @hookimpl
    def propose(self, selection):
        return (Proposal(id="make", operator="verbose.make", weight=1e15),)

    @hookimpl
    def mutate(self, ctx, proposal):
        source = f"{'0' * 9000}1"
        return Candidate.of(source, kind="number", operator=proposal.operator, trial=ctx.trial)

    @hookimpl
    def observe(self, event):
        if isinstance(event, TrialCommitted):
            self.told.append(event.trial)
