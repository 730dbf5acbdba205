"""Points: of every kind, more is better."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.scoring.references import References
from evograft_ahc.scoring.scale import FAR, FULL, ScoreScale

unhurried = settings(deadline=None)

KINDS = ("absolute_sum", "absolute_mean", "relative", "rank")
DIRECTIONS = ("max", "min")
SCORES = st.integers(1, 10**9).map(float)


def task(**changed):
    scorer = Scorer(program="tools/bin/score", channel="stderr", pattern=r"Score = (\d+)")
    about = {"contest_id": "practice001", "interactive": False, "direction": "max", "time_limit_seconds": 2.0}
    about |= {"memory_limit_mb": 1024, "end_source": "practice", "scorer": scorer}
    return ContestTask(**{**about, **changed})


def scale(kind, direction="max", *references, **changed):
    programs = tuple({"0000": float(score)} for score in references)
    return ScoreScale(task(score_kind=kind, direction=direction, **changed), References(programs=programs))


@unhurried
@given(
    one=SCORES,
    other=SCORES,
    kind=st.sampled_from(KINDS),
    direction=st.sampled_from(DIRECTIONS),
    references=st.lists(SCORES, max_size=6),
)
def test_a_better_score_never_has_fewer_points(one, other, kind, direction, references):
    counted = scale(kind, direction, *references)
    worse, better = sorted((one, other), reverse=direction == "min")
    assert counted.points("0000", worse) <= counted.points("0000", better)


@unhurried
@given(
    score=SCORES,
    kind=st.sampled_from(KINDS),
    direction=st.sampled_from(DIRECTIONS),
    references=st.lists(SCORES, min_size=1, max_size=6),
)
def test_a_case_that_fails_has_no_more_points_than_the_references(score, kind, direction, references):
    counted = scale(kind, direction, *references)
    assert all(counted.failure <= counted.points("0000", reference) for reference in references)
    assert counted.points("0000", None) == counted.failure


@pytest.mark.parametrize(("direction", "score", "points"), [("max", 150, 0.75), ("min", 150, 4 / 3), ("max", 500, 2.5)])
def test_relative_points_compare_with_the_best_reference(direction, score, points):
    best, worse = (200, 100) if direction == "max" else (200, 300)
    assert scale("relative", direction, worse, best).points("0000", score) == round(1e9 * points)
    assert scale("relative", direction, worse, best).points("0000", best) == 1e9


def test_relative_points_have_values_where_a_score_is_nothing():
    assert scale("relative", "max", 0).points("0000", 0) == FULL
    assert scale("relative", "max", 0).points("0000", 5) == FAR * FULL
    assert scale("relative", "min", 0).points("0000", 0) == FULL
    assert scale("relative", "min", 0).points("0000", 5) == 0
    assert scale("relative", "min", 7).points("0000", 0) == FAR * FULL


@pytest.mark.parametrize("kind", ["relative", "rank"])
def test_who_solves_a_case_that_no_reference_solved_has_it_all(kind):
    assert scale(kind, "max", 7).points("0001", 1) == FULL


@pytest.mark.parametrize("kind", ["relative", "rank"])
def test_without_any_reference_programs_still_differ(kind):
    assert scale(kind).points("0000", 7) == 7
    assert scale(kind, "min").points("0000", 7) == -7
    assert scale(kind, "min").failure < -7


def test_rank_points_are_the_share_that_is_beaten():
    counted = scale("rank", "max", 10, 20, 20, 40)
    at = {score: counted.points("0000", score) / FULL for score in (10, 20, 40)}
    assert at == {10: 0.125, 20: 0.5, 40: 0.875}
    assert counted.points("0000", 30) == pytest.approx(0.6875 * FULL)
    assert 0 < counted.points("0000", 9) < 0.125 * FULL
    assert 0.875 * FULL < counted.points("0000", 41) < FULL


@unhurried
@given(st.lists(st.integers(1, 1000), min_size=1, max_size=6), st.integers(1, 1000), st.sampled_from(DIRECTIONS))
def test_every_gain_has_rank_points(references, score, direction):
    counted = scale("rank", direction, *references)
    better = score + (1 if direction == "max" else -1)
    assert counted.points("0000", better) > counted.points("0000", score)


def test_absolute_points_are_the_score_turned_so_that_more_is_better():
    assert scale("absolute_sum", "max").points("0000", 12) == 12
    assert scale("absolute_sum", "min").points("0000", 12) == -12


def test_a_failed_case_costs_what_the_contest_says_or_more_than_any_reference_pays():
    assert scale("absolute_sum", "min", failed_score=1e7).failure == -1e7
    assert scale("absolute_sum", "min", 300, 500).failure == -5000
    assert scale("absolute_sum", "min").failure < -1e9
    assert scale("absolute_sum", "max", 300).failure == 0
    assert scale("absolute_sum", "max", failed_score=-5).failure == -5


@unhurried
@given(st.lists(SCORES, min_size=1, max_size=20), st.sampled_from(KINDS))
def test_only_a_sum_grows_with_the_number_of_cases(points, kind):
    counted, mean = scale(kind), sum(points) / len(points)
    assert counted.total(points, 100) == pytest.approx(100 * mean if kind == "absolute_sum" else mean)


@unhurried
@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=50))
def test_a_whole_sum_is_exact(points):
    assert scale("absolute_sum").total([float(number) for number in points], len(points)) == sum(points)


@pytest.mark.parametrize(("direction", "worst"), [("max", 0), ("min", -10_000)])
def test_one_failed_case_takes_a_short_contest_along(direction, worst):
    counted = scale("absolute_sum", direction, format="short", failed_score=abs(worst) / 2)
    assert counted.submission([100.0, counted.failure], 2, failed=True) == worst
    assert counted.submission([100.0, 200.0], 2, failed=False) == 300
    long = scale("absolute_sum", direction, format="long", failed_score=abs(worst) / 2)
    assert long.submission([100.0, long.failure], 2, failed=True) == 100 + worst / 2
