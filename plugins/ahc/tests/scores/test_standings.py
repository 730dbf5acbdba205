"""Where a score would stand in the standings that a user gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_ahc.contests.task import read_task
from evograft_ahc.scores.estimate import RankEstimator
from evograft_ahc.scores.standings import ContestStandings, RankedScore, RankPlacement, read_standings
from evograft_ahc.scores.table import ScoreTable

ROWS = [RankedScore(1, 1000.0, 3000.0), RankedScore(2, 900.0, 2800.0), RankedScore(12, 400.0, 1800.0)]


@pytest.mark.parametrize(
    ("score", "placement"),
    [
        (1000.0, RankPlacement(1, 3000.0)),
        (950.0, RankPlacement(2, 2900.0)),
        (650.0, RankPlacement(7, 2300.0)),
        (899.9, RankPlacement(3, 2799.8)),
        (1001.0, RankPlacement(1, 3000.0, is_beyond=True)),
        (399.0, RankPlacement(13, 1800.0, is_beyond=True)),
    ],
)
def test_between_two_rows_rank_and_performance_are_in_proportion(score, placement):
    found = ContestStandings(ROWS, "max").place(score)
    assert (found.rank, found.is_beyond) == (placement.rank, placement.is_beyond)
    assert found.performance == pytest.approx(placement.performance)


@given(
    st.lists(st.floats(1, 1e6), min_size=1, max_size=20),
    st.floats(0, 2e6),
    st.floats(0, 2e6),
    st.sampled_from(["max", "min"]),
)
def test_a_better_score_never_stands_lower(scores, first, second, direction):
    ordered = sorted(scores, reverse=direction == "max")
    rows = [RankedScore(ordered.index(score) + 1, score, None) for score in ordered]
    standings = ContestStandings(rows, direction)
    better, worse = sorted((first, second), reverse=direction == "max")
    assert 1 <= standings.place(better).rank <= standings.place(worse).rank <= len(rows) + 1
    assert all(standings.place(row.score).rank == row.rank for row in rows)


def write(tmp_path, text):
    file = tmp_path / "standings.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_may_have_more_columns_and_lack_performances(tmp_path):
    file = write(tmp_path, "\ufeffrank,user,score,performance\n1,a,100,\n2,b,90,2000\n")
    standings = read_standings(file, "max")
    assert standings.place(95).performance is None
    assert standings.place(90) == RankPlacement(2, 2000.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("place,score\n1,2\n", "has no column 'rank'"),
        ("rank,score\n", "has no rows"),
        ("rank,score\n1,100\nx,90\n", "line 3: rank has to be a whole number"),
        ('rank,score\n1,"1,000"\n', "line 2: "),
        ("rank,score\n1\n", "line 2: "),
        ("rank,score\n1,nan\n", "line 2: "),
    ],
)
def test_a_file_that_is_not_in_order_is_named_with_its_line(tmp_path, text, said):
    with pytest.raises(UserError, match=said):
        read_standings(write(tmp_path, text), "max")


@pytest.mark.parametrize(
    ("text", "direction", "said"),
    [
        ("1,100000000\n100,400000000\n", "max", r"rank 100 has a better score \(400000000\) than rank 1 \(100000000\)"),
        ("1,90\n2,100\n3,80\n", "max", "rank 2 has a better score"),
        ("1,100\n2,90\n", "min", "rank 2 has a better score .* because less is better"),
        ("2,100\n1,90\n", "max", "rank 2 has a better score .* because more is better"),
    ],
)
def test_standings_in_which_a_worse_rank_has_a_better_score_are_refused(tmp_path, text, direction, said):
    with pytest.raises(UserError, match=said):
        read_standings(write(tmp_path, "rank,score\n" + text), direction)


def test_equal_scores_may_share_a_rank_or_have_several_and_rows_may_come_in_any_order(tmp_path):
    standings = read_standings(write(tmp_path, "rank,score\n5,80\n1,100\n2,100\n3,90\n3,90\n"), "max")
    assert [standings.place(score).rank for score in (100, 90, 80)] == [1, 3, 5]


def estimator(task, kind="absolute_sum", **fields):
    given = task.model_copy(update={"score_kind": kind, **fields})
    return RankEstimator(ContestStandings(ROWS, given.direction), given, cases=10)


@pytest.fixture
def task(workspace):
    return read_task(workspace.folder / "task.json")


def test_a_sum_is_scaled_to_the_cases_of_the_contest(task, ran):
    scores = {"a": 60.0, "b": 70.0}
    found = estimator(task).estimate(scores, ScoreTable([ran("p", **scores)], "max"))
    assert (found.score, found.placement.rank, found.cases) == (650.0, 7, 2)
    assert found.ranks[0] < 7 < found.ranks[1]


def test_a_mean_is_not_scaled(task):
    assert estimator(task, "absolute_mean").estimate({"a": 650.0}, ScoreTable([], "max")).placement.rank == 7


def test_a_relative_score_is_a_bound(task, ran):
    table = ScoreTable([ran("p", a=50.0), ran("q", a=100.0)], "max")
    found = estimator(task, "relative").estimate({"a": 50.0}, table)
    assert (found.score, found.is_bound) == (5e9, True)


def test_of_ranks_and_of_failures_without_a_known_worth_nothing_is_said(task):
    assert estimator(task, "rank").estimate({"a": 1.0}, ScoreTable([], "max")) is None
    assert estimator(task, direction="min").estimate({"a": None}, ScoreTable([], "min")) is None
    assert estimator(task, direction="min", failed_score=500.0).estimate({"a": None}, ScoreTable([], "min")) is not None


def test_in_a_short_contest_a_failed_case_costs_the_whole_submission(task):
    scores, table = {"a": 100.0, "b": None}, ScoreTable([], "max")
    assert estimator(task, format="long").estimate(scores, table).score == 500.0
    assert estimator(task, format="short").estimate(scores, table).score == 0.0


def test_the_table_tells_the_rank(workspace, recorded, ran, evo):
    write(workspace.folder, "rank,score,performance\n1,1000,3000\n2,900,2800\n12,400,1800\n")
    evo("ahc", "config", "scores.standings", "standings.csv")
    evo("ahc", "config", "scores.standings_cases", "10")
    recorded(ran("main.cpp", **{"0000": 60.0, "0001": 70.0}))
    assert "would be rank 7 (1-13 at 95 %), performance 2300, from 2 cases\n" in evo("ahc", "scores").stdout
    evo("ahc", "config", "language", "ja")
    assert (
        "本番なら 7 位相当 (95% で 1-13 位)、パフォーマンス 2300。2 ケースからの推定\n" in evo("ahc", "scores").stdout
    )


def test_standings_that_are_not_there_are_named_with_the_setting_and_what_to_do(workspace, recorded, ran, evo):
    evo("ahc", "config", "scores.standings", "st.csv")
    recorded(ran("main.cpp", **{"0000": 60.0}))
    with pytest.raises(
        UserError, match=r"scores\.standings: there is no file '.*st\.csv': put it there, or name none: "
    ):
        evo("ahc", "scores")
    evo("ahc", "config", "language", "ja")
    with pytest.raises(UserError, match=r"scores\.standings: ファイル '.*st\.csv' がありません"):
        evo("ahc", "scores")
    evo("ahc", "config", "scores.standings", '""')
    assert "main.cpp" in evo("ahc", "scores").stdout


def test_an_estimate_from_one_case_says_so(workspace, recorded, ran, evo):
    write(workspace.folder, "rank,score\n1,1000\n2,900\n")
    evo("ahc", "config", "scores.standings", "standings.csv")
    recorded(ran("main.cpp", **{"0000": 60.0}))
    assert "would be rank 1, from 1 case\n" in evo("ahc", "scores").stdout
