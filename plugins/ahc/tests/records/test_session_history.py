"""What the rows of a session's log add up to."""

from evograft.log.records import NO_PRINTS, CompletedCall, Finished
from evograft_ahc.records.session_history import SessionHistory
from evograft_hookspecs import Candidate, Evaluation, Proposal, Trial, Usage


def finished(number, score, operator, **cases):
    """A program whose score is turned, since less is better; `score` of `None`: it is rejected."""
    status = "rejected" if score is None else "ok"
    reason = "" if cases else "broken"
    evaluation = Evaluation(status=status, score=score, reason=reason, cases=cases)
    proposal = Proposal(id="p", operator=operator)
    candidate = Candidate.of("int main() {}", kind="cpp", operator=operator, trial=number)
    trial = Trial(number=number, view=0, evaluation=evaluation, candidate=candidate, proposal=proposal)
    return Finished(trial, NO_PRINTS, seconds=1.0, cost=0.0, elapsed=1.0, at=1_700_000_000.0)


def asked(model, refused=""):
    usage = Usage(prompt_tokens=1, completion_tokens=1)
    return CompletedCall(
        "k", 0, "mutate", "lab", model, usage, seconds=1.0, requests=1, at=1_700_000_000.0, refused=refused
    )


def test_models_are_those_that_answered_in_turn():
    session_history = SessionHistory(10)
    for record in (asked("b"), asked("down", refused="HTTP 503"), asked("a"), asked("b")):
        session_history.add(record)
    assert session_history.models == ("b", "a")


def test_what_an_operator_has_reached_is_told_in_the_contests_own_units():
    session_history = SessionHistory(10)
    session_history.add(finished(0, -10.0, "ahc.tune", a=4.0, b=6.0))
    session_history.add(finished(1, -8.0, "ahc.tune", a=3.0, b=5.0))
    session_history.add(finished(2, -9.0, "ahc.splice", a=4.0, b=5.0))
    session_history.add(finished(3, None, "ahc.vary"))
    bests = {operator: attempts.best_score for operator, attempts in session_history.operators.items()}
    assert bests == {"ahc.tune": 4.0, "ahc.splice": 4.5, "ahc.vary": None}
    assert session_history.history[-1].score == bests["ahc.tune"]
