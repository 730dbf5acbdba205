"""How a session is told, in both languages."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from evograft.budget import Meter
from evograft.config import Budget
from evograft_ahc.sessions.standing import watching_session
from evograft_ahc.sessions.telling import described, summary


@pytest.fixture
def standing(book):
    """Of a session that nobody works on."""
    book.problem(seeds=({"main": "1"},))
    book.trial(10.0, operator="lab.step")
    book.call(1)
    book.trial(12.0, operator="operators.rewrite", model="dear")
    book.trial(None, operator="operators.rewrite", model="dear", reason="error:\x1b[2J no such thing")
    with watching_session(book.path) as watcher:
        return watcher.look()


def test_everything_that_is_specified_is_told(standing):
    lines = described(standing, "en").splitlines()
    told = dict(line.split(": ", 1) for line in lines if not line.startswith(" ") and ": " in line)
    assert told["best"] == "12 (gen01_ind00)"
    assert told["tokens"] == "150 (100 prompt, 50 completion)"
    assert told["cost"] == "0.0004 USD"
    assert told["experiments"] == "2 succeeded, 1 failed"
    assert told["running now"] == "nothing"
    assert "elapsed" in told["time"]
    assert "  operators.rewrite: 2 tried, 1 succeeded, 1 times the best" in lines


def test_what_was_tried_is_told_in_the_contests_own_scores(standing):
    own = replace(standing, bests={"lab.step": 4.5}).to_data()["approaches"]
    assert {each["operator"]: each["best"] for each in own} == {"operators.rewrite": None, "lab.step": 4.5}


def test_a_reason_does_nothing_to_the_terminal(standing):
    assert "\x1b" not in described(standing, "en")
    assert "no such thing" in described(standing, "en")


def test_what_ended_a_session_in_the_background_is_told(book):
    output = book.path / "output.log"
    for said, error in (
        ("trial 0  best none yet\nError: no \x1b[2J compiler\n", "no \x1b[2J compiler"),
        ("trial 3\n", ""),
    ):
        output.write_text(said)
        with watching_session(book.path) as watcher:
            standing = watcher.look()
        assert standing.error == error
        assert standing.to_data()["error"] == (error or None)
        assert ("error: no ␛[2J compiler" in described(standing, "en")) == bool(error)


@pytest.mark.parametrize("limit", ["seconds", "plateau", "target_score", "tokens", "dollars", "island_plateau"])
def test_why_the_engine_stopped_is_told_in_japanese(standing, limit):
    spent = SimpleNamespace(dollars=99.0, total=SimpleNamespace(tokens=99))
    meter = Meter(Budget(**{limit: 1e-9 if limit == "seconds" else 7}), spent, generation_size=10)
    reason = meter.stop_reason(SimpleNamespace(best=SimpleNamespace(score=9.0), commits=9, best_at=0, improved_at=0))
    stopped = replace(standing, standing=replace(standing.standing, state=reason))
    assert reason in described(stopped, "en")
    assert reason not in described(stopped, "ja")
    assert reason not in summary(stopped, "ja")


def test_it_is_told_in_japanese_too(standing):
    text = described(standing, "ja")
    assert "最良: 12 (gen01_ind00)" in text
    assert "実験: 2 成功, 1 失敗" in text
    assert "トークン" in text
    assert "世代 1" in summary(standing, "ja")
