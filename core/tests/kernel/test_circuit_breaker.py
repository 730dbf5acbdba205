"""A model that gives no program trial after trial ends the run, which can be resumed; the count is a fold over the log."""

import pytest
from asking import climb
from fault_server import answer

from evograft.errors import ServiceError
from evograft.kernel.circuit_breaker import CircuitBreaker
from evograft.log.spending import Spending
from evograft_hookspecs import Attempt, Candidate, Evaluation, Trial

LLM = {"give_up_after": 5}
WINDOW = 4


@pytest.fixture
def hopeless(asking, server):
    """The folder of a run that was stopped since no answer was a program."""
    server.usual = answer("I am sorry.")
    done = asking.evo("run", asking.write(trials=30, llm=LLM, window=WINDOW), "--run-dir", asking.folder / "run")
    assert done.returncode == 4, done.stderr
    assert done.stdout == ""
    assert (
        "no model gave a program in 5 trials in a row (llm.give_up_after), the last: no number; fix this" in done.error
    )
    assert done.error.endswith(f"evo resume {asking.folder / 'run'}")
    assert 5 <= len(asking.trials(asking.folder / "run")) < 5 + WINDOW
    return asking.folder / "run"


def test_a_resumed_run_counts_anew_and_ends_once_the_model_answers(asking, server, hopeless):
    before = len(asking.trials(hopeless))
    again = asking.evo("resume", hopeless)
    assert again.returncode == 4, again.stderr
    assert len(asking.trials(hopeless)) > before
    server.usual = climb
    done = asking.evo("resume", hopeless)
    assert (done.returncode, done.stdout[:8]) == (0, "complete")
    assert len(asking.trials(hopeless)) == 30


def test_a_run_that_was_stopped_for_that_is_repeated_to_its_end(asking, hopeless):
    repeated = asking.replay(hopeless, "again")
    asking.resume(repeated)
    assert asking.trials(repeated) == asking.trials(hopeless)


def test_null_lets_a_run_go_on_whatever_the_model_gives(asking, server):
    server.usual = answer("I am sorry.")
    done = asking.evo("run", asking.write(trials=30, llm={"give_up_after": None}))
    assert done.returncode == 0, done.stderr


def trial(number, *, made=False, mended=False):
    candidate = Candidate.of("1", kind="k", operator="a.b", trial=number)
    attempts = (Attempt(candidate=candidate, reason="odd"),) * mended
    evaluation = Evaluation.rejected(f"nothing in {number}")
    return Trial(number=number, view=0, candidate=candidate if made else None, evaluation=evaluation, attempts=attempts)


ASKED, UNASKED = Spending(calls=1), Spending()


def test_only_trials_that_asked_a_model_and_got_no_program_count():
    breaker = CircuitBreaker(2)
    breaker.commit(trial(0), ASKED)
    breaker.commit(trial(1, made=True), UNASKED)
    breaker.commit(trial(2), UNASKED)
    breaker.require_closed()
    breaker.commit(trial(3), ASKED)
    with pytest.raises(ServiceError, match=r"2 trials in a row.*nothing in 3"):
        breaker.require_closed()


@pytest.mark.parametrize("program", [{"made": True}, {"mended": True}])
def test_a_program_is_one_though_it_is_rejected(program):
    breaker = CircuitBreaker(2)
    breaker.commit(trial(0), ASKED)
    breaker.commit(trial(1, **program), ASKED)
    breaker.commit(trial(2), ASKED)
    breaker.require_closed()
