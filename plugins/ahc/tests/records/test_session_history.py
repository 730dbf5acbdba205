"""What the log of a session adds up to."""

import pytest
from logbook import LogBook

from evograft.log.records import NO_PRINTS
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft_ahc.records.session_history import SessionHistory
from evograft_hookspecs import Candidate, Evaluation, Proposal, Trial


def write_trial(book, number, score, operator, **cases):
    """A program whose score is turned, since less is better; `score` of `None`: it is rejected."""
    status = "rejected" if score is None else "ok"
    reason = "" if cases else "broken"
    evaluation = Evaluation(status=status, score=score, reason=reason, cases=cases)
    proposal = Proposal(id="p", operator=operator)
    candidate = Candidate.of("int main() {}", kind="cpp", operator=operator, trial=number)
    trial = Trial(number=number, view=0, evaluation=evaluation, candidate=candidate, proposal=proposal)
    book.journal.write_trial(trial, NO_PRINTS, elapsed=1.0)


@pytest.fixture
def book_in_order(runs, tmp_path):
    """The log of a run that commits its trials by number."""
    with LogBook.begun(runs.pipeline(trials=100, generation_size=2), tmp_path / "run") as book:
        book.problem()
        yield book


def follow(book):
    with open_journal(book.path) as journal:
        return SessionHistory.follow(journal, open_run(book.path).pipeline)


def test_models_are_those_that_answered_in_turn(book):
    for model, refused in (("b", ""), ("down", "HTTP 503"), ("a", ""), ("b", "")):
        book.call(0, model=model, refused=refused)
    assert follow(book).models == ("b", "a")


def test_what_an_operator_has_reached_is_told_in_the_contests_own_units(book):
    write_trial(book, 0, -10.0, "ahc.tune", a=4.0, b=6.0)
    write_trial(book, 1, -8.0, "ahc.tune", a=3.0, b=5.0)
    write_trial(book, 2, -9.0, "ahc.splice", a=4.0, b=5.0)
    write_trial(book, 3, None, "ahc.vary")
    results = follow(book).results
    bests = {operator: attempts.best_score for operator, attempts in results.operators.items()}
    assert bests == {"ahc.tune": 4.0, "ahc.splice": 4.5, "ahc.vary": None}
    assert results.history[-1].score == bests["ahc.tune"]


def test_candidates_are_compared_in_the_order_of_their_commits(book_in_order):
    """Trial 2 finished first, but trial 1, which is as good, was committed before it."""
    for number, score in ((0, 1.0), (2, 5.0), (1, 5.0)):
        write_trial(book_in_order, number, score, "ahc.tune", a=score)
    session_history = follow(book_in_order)
    assert [each.individual_id for each in session_history.results.history] == ["gen01_ind00", "gen01_ind01"]
    assert session_history.best.number == 1


def test_a_candidate_that_waits_for_an_earlier_one_counts_until_that_is_there(book_in_order):
    write_trial(book_in_order, 0, 1.0, "ahc.tune", a=1.0)
    with open_journal(book_in_order.path) as journal:
        session_history = SessionHistory.follow(journal, open_run(book_in_order.path).pipeline)
        write_trial(book_in_order, 2, 5.0, "ahc.tune", a=5.0)
        list(session_history.read_on())
        waiting = session_history.results
        write_trial(book_in_order, 1, 7.0, "ahc.splice", a=7.0)
        list(session_history.read_on())
    assert (waiting.all.trials, waiting.history[-1].score, waiting.operators["ahc.tune"].best_score) == (2, 5.0, 5.0)
    results = session_history.results
    assert (results.all.trials, [each.score for each in results.history]) == (3, [1.0, 7.0])
    assert results.operators["ahc.tune"].trials == 2
