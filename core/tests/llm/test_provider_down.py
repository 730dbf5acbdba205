"""A provider that fails: now and then it costs requests, for good it ends the run, resumable, with exit code 4."""

import itertools

import pytest
from asking import Awaited, climb
from fault_server import (
    FaultServer,
    answer,
    cut,
    empty_choices,
    filtered,
    large,
    malformed,
    raw,
    slow,
    status,
)

CONCURRENCY = 4
RETRIES = 2
LLM = {"retries": RETRIES, "backoff": 0.001, "concurrency": CONCURRENCY}

FOR_EVER = {
    "500": (status(500), "HTTP 500"),
    "503 with a page": (raw("<html>", status=503), "HTTP 503"),
    "429": (status(429, headers={"Retry-After": "0"}), "HTTP 429"),
    "429 with a date": (status(429, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}), "HTTP 429"),
    "malformed": (malformed(), "not JSON"),
    "no choices": (empty_choices(), "no text"),
    "cut": (cut(), "before the answer was whole"),
    "cut at once": (cut(-1), "without sending a response"),
}
SWALLOWING = [{}, {"stubborn": True}, {"deaf": True}]


def after(count, reply):
    """Sound answers, so many of them, and then something else."""
    requests = itertools.count()
    return lambda seen: climb(seen) if next(requests) < count else reply


@pytest.fixture
def undisturbed(asking, server):
    return asking.undisturbed(trials=20)


@pytest.mark.long
@pytest.mark.parametrize(("fault", "healthy"), [*((fault, 0) for fault in FOR_EVER), ("500", 11), ("cut", 11)])
def test_a_provider_that_stays_down_ends_the_run_resumable(asking, server, undisturbed, fault, healthy):
    reply, reason = FOR_EVER[fault]
    server.usual = after(healthy, reply)
    pipeline = asking.write(trials=20, llm=LLM)
    done = asking.evo("run", pipeline, "--run-dir", asking.folder / "run")
    assert_down(asking, done, reason)
    server.usual = climb
    done = asking.evo("resume", asking.folder / "run")
    assert (done.returncode, done.stdout[:8]) == (0, "complete")
    assert asking.trials(asking.folder / "run") == undisturbed


@pytest.mark.parametrize("with_", SWALLOWING, ids=str)
def test_a_plugin_that_swallows_exceptions_does_not_keep_a_run_alive_without_its_provider(
    asking, server, undisturbed, with_
):
    server.usual = after(11, status(500))
    done = asking.evo("run", asking.write(trials=20, llm=LLM, with_=with_), "--run-dir", asking.folder / "run")
    assert_down(asking, done, "HTTP 500")
    assert all(trial == undisturbed[trial["number"]] for trial in asking.trials(asking.folder / "run"))
    server.usual = climb
    assert asking.evo("resume", asking.folder / "run").returncode == 0
    assert asking.trials(asking.folder / "run") == undisturbed


def test_a_provider_that_never_answers_in_time_ends_the_run_resumable(asking, server, undisturbed):
    server.usual = slow()
    llm = {**LLM, "retries": 1, "timeout": 0.1}
    done = asking.evo("run", asking.write(trials=20, llm=llm), "--run-dir", asking.folder / "run")
    assert_down(asking, done, "no answer in 0.1 s")
    server.usual = climb
    done = asking.evo("resume", asking.folder / "run", "--set", "llm.timeout=60.0")
    assert done.returncode == 0, done.stderr
    assert asking.trials(asking.folder / "run") == undisturbed


def test_a_provider_that_nobody_reaches_ends_the_run_resumable(asking, server, undisturbed):
    with FaultServer() as gone:
        address = gone.base_url
    pipeline = asking.write(trials=20, llm={**LLM, "base_url": address})
    done = asking.evo("run", pipeline, "--run-dir", asking.folder / "run")
    assert_down(asking, done, "Connection refused")
    done = asking.evo("resume", asking.folder / "run", "--set", f"llm.base_url={server.base_url}")
    assert done.returncode == 0, done.stderr
    assert asking.trials(asking.folder / "run") == undisturbed


def test_a_process_whose_provider_stays_down_says_why_in_one_line(asking, server):
    server.usual = status(500, "out of order")
    done = asking.evo_process("run", asking.write(llm=LLM), "--run-dir", asking.folder / "run")
    assert_down(asking, done, "out of order")


def assert_down(asking, done, reason):
    assert done.returncode == 4, done.stderr
    (line,) = (line for line in done.stderr.splitlines() if "Error" in line)
    assert line.startswith("Error: llm driver 'openai' gives no answer: ")
    assert reason in line
    assert line.endswith(f"fix this, then run: evo resume {asking.folder / 'run'}")
    assert "complete" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert asking.unlogged(asking.folder / "run") <= (RETRIES + 1) * CONCURRENCY


@pytest.mark.parametrize(
    ("code", "with_"), [*((code, {}) for code in (401, 402, 403, 404)), *((401, with_) for with_ in SWALLOWING[1:])]
)
def test_a_provider_that_will_never_answer_is_asked_once_a_call_in_flight(asking, server, undisturbed, code, with_):
    server.usual = after(11, status(code))
    done = asking.evo("run", asking.write(trials=20, llm=LLM, with_=with_), "--run-dir", asking.folder / "run")
    assert_down(asking, done, f"HTTP {code}")
    assert asking.unlogged(asking.folder / "run") <= CONCURRENCY
    server.usual = climb
    assert asking.evo("resume", asking.folder / "run").returncode == 0
    assert asking.trials(asking.folder / "run") == undisturbed


def test_a_first_request_that_is_refused_is_no_matter_of_the_candidate(asking, server):
    server.usual = status(400, "no such field")
    done = asking.evo("run", asking.write(llm=LLM), "--run-dir", asking.folder / "run")
    assert_down(asking, done, "no such field")
    assert asking.unlogged(asking.folder / "run") <= CONCURRENCY


def test_refusals_to_a_model_that_the_run_can_do_without_are_no_answers(asking, server):
    server.usual = status(400, "no such field")
    llm = {**LLM, "models": [{"name": "m"}, {"name": "spare", "optional": True}]}
    done = asking.evo("run", asking.write(llm=llm), "--run-dir", asking.folder / "run")
    assert_down(asking, done, "no such field")


PASSING = {
    "500": (status(500), 2),
    "429": (status(429, headers={"Retry-After": "0.01"}), 2),
    "cut": (cut(), 2),
    "no choices": (empty_choices(), 2),
    "malformed": (malformed(), 2),
    "too slow": (slow(), 2),
    "larger than usual": (large(), 1),
    "withheld": (filtered(), 1),
}


@pytest.mark.parametrize("fault", PASSING)
def test_a_single_fault_costs_no_trial_and_its_requests_are_in_the_log(asking, server, fault):
    reply, requests = PASSING[fault]
    server.usual = after_only(7, reply)
    llm = {**LLM, "timeout": 1.0 if fault == "too slow" else 60.0}
    done = asking.evo("run", asking.write(trials=20, llm=llm, repairs=0), "--run-dir", asking.folder / "run")
    assert done.returncode == 0, done.stderr
    assert len(asking.trials(asking.folder / "run")) == 20
    calls = asking.answers(asking.folder / "run")
    assert sorted(each.requests for each in calls)[-2:] == [1, requests]
    assert sum(each.requests for each in calls) == len(server.asked())
    rejected = [trial for trial in asking.trials(asking.folder / "run") if trial["evaluation"]["status"] == "rejected"]
    assert bool(rejected) == (requests == 1)


def after_only(count, reply):
    """Something else once, after so many sound answers."""
    requests = itertools.count()
    return lambda seen: reply if next(requests) == count else climb(seen)


def test_a_refusal_after_a_failure_is_logged_with_both_requests_and_given_again(asking, server):
    server.usual = after_only(1, status(500))
    server.script(answer("1.0"))
    path = asking.run("run", trials=1)
    server.script(status(500), status(400, "too long"))
    asking.resume(path, "budget.trials=2", "repairs=0")
    first, second = asking.answers(path)
    assert (first.requests, first.refused) == (1, "")
    assert second.requests == 2
    assert "too long" in second.refused
    rejected = asking.trials(path)[1]["evaluation"]
    assert rejected["status"] == "rejected"
    assert "too long" in rejected["reason"]


def test_a_provider_that_asks_to_wait_is_waited_for(asking, server):
    """The pause that was asked for is longer than the test; it ends since the run is stopped in it."""
    server.usual = awaited = Awaited(lambda seen: status(429, headers={"Retry-After": "3600"}))
    process = asking.start("run", asking.write(llm=LLM), "--run-dir", asking.folder / "run")
    awaited.wait_for(CONCURRENCY)
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert len(server.asked()) == CONCURRENCY
