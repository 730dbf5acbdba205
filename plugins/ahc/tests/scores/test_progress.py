"""What a change of a program brought, as `evo ahc watch` tells it."""

import pytest

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scores.progress import build_progress
from evograft_ahc.scores.table import ScoreTable


def outcomes(**scores):
    return [
        CaseOutcome(case=case, kind="time_limit" if score is None else "score", score=score)
        for case, score in scores.items()
    ]


@pytest.mark.parametrize(("direction", "better", "worse"), [("max", 2, 1), ("min", 2, 1)])
def test_a_test_is_compared_case_by_case_with_the_time_before(ran, direction, better, worse):
    up, down = (11.0, 19.0) if direction == "max" else (9.0, 21.0)
    after, before = outcomes(a=up, b=down, c=5.0, d=1.0), outcomes(a=10.0, b=20.0, c=None, d=1.0)
    found = build_progress(after, before, ScoreTable([ran("p", a=up, b=20.0)], direction))
    assert (found.better, found.worse, found.failed) == (better, worse, 0)
    assert found.difference == 0.0


def test_the_first_test_has_nothing_to_compare_with(ran):
    found = build_progress(outcomes(a=50.0, b=None), [], ScoreTable([ran("p", a=100.0, b=1.0)], "max"))
    assert (found.difference, found.better, found.worse) == (None, 0, 0)
    assert (found.mean, found.failed, found.relative) == (50.0, 1, 0.25)
