"""How a session is told, in both languages."""

import os
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from evograft.config.pipeline import Budget
from evograft.kernel.budget import BudgetTracker
from evograft.runs.mailbox import InFlightTrial
from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_ahc.sessions.status import watch_session
from evograft_ahc.sessions.status_text import describe_status, summarize_status


@pytest.fixture
def run_status(book):
    """Of a session that nobody works on."""
    book.problem(seeds=({"main": "1"},))
    book.trial(10.0, operator="lab.step")
    book.call(1)
    book.trial(12.0, operator="operators.rewrite", model="dear")
    book.trial(None, operator="operators.rewrite", model="dear", reason="error:\x1b[2J no such thing")
    with watch_session(book.path) as watcher:
        return watcher.look()


def test_everything_that_is_specified_is_told(run_status):
    lines = describe_status(run_status, "en").splitlines()
    told = dict(line.split(": ", 1) for line in lines if not line.startswith(" ") and ": " in line)
    assert told["best"] == "12 (gen01_ind00)"
    assert told["tokens"] == "150 (100 prompt, 50 completion)"
    assert told["cost"] == "0.0004 USD"
    assert told["experiments"] == "2 succeeded, 1 failed"
    assert told["running now"] == "nothing"
    assert "elapsed" in told["time"]
    assert "  operators.rewrite: 2 tried, 1 succeeded, 1 times the best" in lines


def test_what_was_tried_is_told_with_each_operators_best(run_status):
    own = run_status.to_data()["approaches"]
    assert {each["operator"]: each["best"] for each in own} == {"operators.rewrite": 12.0, "lab.step": 10.0}


def test_a_program_that_was_given_up_early_counts_the_same_everywhere(book):
    book.problem(seeds=({"main": "1"},))
    book.trial(10.0, operator="lab.step")
    book.trial(8.0, operator="lab.step", status="pruned", reason="worse than its parent")
    with watch_session(book.path) as watcher:
        text = describe_status(watcher.look(), "en")
        data = watcher.look().to_data()
    assert "experiments: 1 succeeded, 1 given up early, 0 failed" in text
    assert "  lab.step: 2 tried, 1 succeeded, 1 given up early, 1 times the best" in text
    assert (data["succeeded"], data["pruned"], data["failed"]) == (1, 1, 0)


def test_strategies_are_named_with_what_came_of_them(book):
    anneal, beam = ContestStrategy(title="Anneal"), ContestStrategy(title="Beam")
    book.problem(analysis={"strategies": [{"title": "Anneal"}, {"title": "Beam"}]})
    book.trial(3.0, operator="operators.rewrite", proposal={"id": f"ahc.follow_{beam.key}@0.300"})
    book.trial(None, operator="operators.fresh", proposal={"id": f"ahc.start_over_{beam.key}@0.300"}, reason="broken")
    with watch_session(book.path) as watcher:
        found = watcher.look()
    lines = describe_status(found, "en").splitlines()
    assert lines[lines.index("strategies:") + 1 :][:2] == [
        "  Anneal: 0 tried, 0 succeeded, best none yet",
        "  Beam: 2 tried, 1 succeeded, best 3",
    ]
    assert [each["trials"] for each in found.to_data()["strategies"]] == [0, 2]
    assert anneal.key != beam.key


def test_what_is_done_now_is_told_with_what_it_waits_for(run_status):
    asking = InFlightTrial(7, "operators.diff", "dear", 0, 0.0, activity="asking")
    waiting = replace(asking, trial=8, waits_until=0.0, waits_after="too many\x1b requests")
    busy = replace(run_status, run_status=replace(run_status.run_status, running=(asking, waiting), writer=1))
    text = describe_status(busy, "en")
    assert "running now: operators.diff dear (asking), operators.diff dear (waiting until " in text
    assert "too many␛ requests" in text
    first = replace(busy, is_analysed=False)
    assert "running now: analysing the problem and choosing strategies" in describe_status(first, "en")
    assert "実行中: 問題の分析" in describe_status(first, "ja")


@pytest.mark.parametrize(("reached", "said"), [(2, "generation: 2 of 2"), (3, "generation: 3 (limit 2)")])
def test_a_session_may_be_past_a_limit_that_was_lowered(run_status, reached, said):
    assert said in describe_status(replace(run_status, generation=reached, generations=2), "en").splitlines()


def test_a_reason_does_nothing_to_the_terminal(run_status):
    assert "\x1b" not in describe_status(run_status, "en")
    assert "no such thing" in describe_status(run_status, "en")


def test_what_ended_a_session_in_the_background_is_told(book):
    output = book.path / "output.log"
    for said, error in (
        ("trial 0  best none yet\nError: no \x1b[2J compiler\n", "no \x1b[2J compiler"),
        ("trial 3\n", ""),
    ):
        output.write_text(said)
        with watch_session(book.path) as watcher:
            run_status = watcher.look()
        assert run_status.error == error
        assert run_status.to_data()["error"] == (error or None)
        assert ("error: no ␛[2J compiler" in describe_status(run_status, "en")) == bool(error)


@pytest.mark.parametrize(
    "limit", ["seconds", "plateau", "target_score", "tokens", "dollars", "calls", "island_plateau"]
)
def test_why_the_engine_stopped_is_told_in_japanese(run_status, limit):
    spent = SimpleNamespace(dollars=99.0, total=SimpleNamespace(tokens=99, answered=99))
    meter = BudgetTracker(Budget(**{limit: 1e-9 if limit == "seconds" else 7}), spent, generation_size=10)
    stop = meter.find_stop(SimpleNamespace(best=SimpleNamespace(score=9.0), commits=9, best_at=0, improved_at=0))
    reason = stop.reason
    facts = {"cause": stop.cause, **stop.facts}
    stopped = replace(run_status, run_status=replace(run_status.run_status, state=reason, stop=facts))
    assert reason in describe_status(stopped, "en")
    assert reason not in describe_status(stopped, "ja")
    assert reason not in summarize_status(stopped, "ja")


def test_it_is_told_in_japanese_too(run_status):
    text = describe_status(run_status, "ja")
    assert "最良: 12 (gen01_ind00)" in text
    assert "実験: 2 成功, 1 失敗" in text
    assert "トークン" in text
    assert "世代 1" in summarize_status(run_status, "ja")


@pytest.mark.parametrize(
    ("remaining", "said"),
    [
        (900.0, "0:10:00 of 0:30:00; all generations done in about 0:15:00 at the present rate"),
        (1200.0, "0:10:00 of 0:30:00"),
    ],
)
def test_time_is_told_of_its_limit_and_other_ends_are_called_estimates(run_status, remaining, said):
    running = replace(run_status.run_status, writer=1, remaining=remaining)
    status = replace(run_status, run_status=running, elapsed=600.0, time_limit=1800.0)
    assert f"time: {said}" in describe_status(status, "en").splitlines()
    assert status.to_data()["time_limit_seconds"] == 1800.0


def test_prompts_that_wait_for_a_person_are_named_with_what_to_do(run_status):
    status = replace(run_status, waiting=("start-analyze-01234567", "00001-mutate-89abcdef"))
    lines = describe_status(status, "en").splitlines()
    asked = "waiting for you: 2 to answer (start-analyze-01234567, 00001-mutate-89abcdef): evo ahc answer first"
    assert asked in lines
    assert summarize_status(status, "en").endswith("2 to answer")


def test_the_time_of_an_analysis_counts_from_when_its_process_began(book):
    lock = book.path / "run.lock"
    lock.write_text("")
    began = time.time() - 600
    os.utime(lock, (began, began))
    with watch_session(book.path) as watcher:
        looked = watcher.look()
        assert looked.elapsed == looked.run_status.elapsed
        assert watcher.measure_analysis(replace(looked.run_status, writer=1)) >= 600
