"""The honest score and its interval."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.final import build_final_evaluation
from evograft_ahc.scoring.interval import compute_interval
from evograft_ahc.scoring.references import References
from evograft_ahc.scoring.scale import ScoreScale
from evograft_ahc.scoring.student_t import convert_to_normal, convert_to_student

unhurried = settings(deadline=None)


@unhurried
@given(st.floats(-5, 5), st.integers(4, 1000))
def test_students_values_become_normal_ones_that_are_as_far_out(t, freedom):
    exact = stats.norm.isf(stats.t.sf(abs(t), freedom))
    assert abs(convert_to_normal(t, freedom)) == pytest.approx(exact, abs=0.03)
    assert convert_to_student(convert_to_normal(t, freedom), freedom) == pytest.approx(t, abs=1e-9)


@unhurried
@given(
    st.lists(st.integers(-1000, 1000), min_size=5, max_size=50, unique=True), st.sampled_from((0.5, 0.9, 0.95, 0.99))
)
def test_intervals_are_students(values, confidence):
    found = compute_interval(values, confidence)
    low, high = stats.t.interval(confidence, len(values) - 1, loc=found.mean, scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02 * (high - low))


def test_intervals_hold_the_mean_as_often_as_they_say():
    rng = random.Random(5)
    found = [compute_interval([rng.gauss(3, 2) for _ in range(10)]) for _ in range(1000)]
    assert 930 <= sum(interval.low <= 3 <= interval.high for interval in found) <= 970


def test_one_value_has_an_interval_without_width():
    assert (compute_interval([7.0]).low, compute_interval([7.0]).high) == (7, 7)


def judged(scores, *, direction="max", start=None, language="en"):
    scorer = Scorer(program="tools/bin/score", channel="stderr", pattern=r"Score = (\d+)")
    about = {"contest_id": "practice001", "interactive": False, "direction": direction, "end_source": "practice"}
    task = ContestTask(**about, time_limit_seconds=2.0, memory_limit_mb=1024, scorer=scorer)
    outcomes = [CaseOutcome(case=f"{n:04}", kind="score", score=float(score)) for n, score in enumerate(scores)]
    references = References(programs=({f"{n:04}": float(score) for n, score in enumerate(start)},) if start else ())
    return build_final_evaluation(outcomes, ScoreScale(task, references), source="", language=language)


def test_a_judgement_tells_score_interval_and_gain_over_the_start_program():
    judgement = judged([100, 110, 90, 100], start=[50, 50, 50, 50])
    assert (judgement.status, judgement.score, judgement.metrics["gain"]) == ("ok", 400, 50)
    assert judgement.metrics["low"] < 100 < judgement.metrics["high"]
    assert judgement.metrics["gain_low"] == pytest.approx(judgement.metrics["low"] - 50)
    first, second, *_ = judgement.feedback.splitlines()
    assert first == "On 4 cases that nothing was chosen by: 100 a case, 95 % interval 86.8605 to 113.139."
    assert second == "Better than the start program by 50 a case, 95 % interval 36.8605 to 63.1395."


def test_where_less_is_better_people_read_the_contests_own_score():
    judgement = judged([100, 110, 90, 100], direction="min", start=[150] * 4)
    assert (judgement.score, judgement.metrics["gain"]) == (-400, 50)
    assert ": 100 a case, 95 % interval 86.8605 to 113.139." in judgement.feedback


def test_without_the_start_program_there_is_no_gain():
    judgement = judged([100, 110], language="ja")
    assert "gain" not in judgement.metrics
    assert judgement.feedback.startswith("選択に使っていない 2 ケースで")
