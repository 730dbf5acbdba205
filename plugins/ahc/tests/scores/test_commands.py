"""`evo ahc scores` and `history`, as a contestant reads them."""

import json

import pytest

from evograft.errors import UserError
from evograft_ahc.scores.run import Revision


@pytest.fixture
def three(workspace, ran, recorded):
    """Two programs that were tested, and one of a session that was given up."""
    for case, n in (("0000", 5), ("0001", 5), ("0002", 9)):
        workspace.input(case).write_text(f"{n} 2\n")
    recorded(
        ran("old.cpp", program="1" * 64, comment="first try", **{"0000": 50.0, "0001": 100.0, "0002": 100.0}),
        ran("s/gen01_ind00", "session", program="2" * 64, is_pruned=True, **{"0000": 100.0}),
        ran(
            *("main.cpp", "test"),
            program="3" * 64,
            slowest=1.25,
            revision=Revision("abc1234+", "v2"),
            **{"0000": 75.0, "0001": 100.0, "0002": None},
        ),
    )
    return workspace.folder


def test_programs_are_listed_with_what_they_reach_of_the_best(three, evo):
    lines = evo("ahc", "scores").stdout.splitlines()
    assert lines[0] == "3 runs of 3 programs on 3 cases"
    assert [line.split() for line in lines[2:5]] == [
        ["program", "runs", "cases", "failed", "mean", "sum", "relative", "best", "on", "comment"],
        ["old.cpp@111111", "1", "3", "0", "83.3333", "250", "83.33%", "2", "first", "try"],
        ["main.cpp@333333", "1", "3", "1", "87.5", "175", "58.33%", "1"],
    ]
    assert lines[6:] == [
        "main.cpp@333333 is behind on 2 cases; most on:",
        "case  score  best  relative  by",
        "0002      -   100     0.00%  old.cpp@111111",
        "0000     75   100    75.00%  s/gen01_ind00",
    ]


def test_losses_are_told_by_the_variables_that_the_settings_name(three, evo):
    evo("ahc", "config", "scores.input", "N M")
    said = evo("ahc", "scores", "old.cpp").stdout
    head, *rows = said[said.index("variable ") :].splitlines()[:3]
    assert head.split() == ["variable", "values", "cases", "loss", "share", "of", "all", "loss"]
    assert [row.split() for row in rows] == [["N", "5", "2", "25.00%", "100%"], ["N", "9", "1", "0.00%", "0%"]]


def test_the_table_can_be_read_by_a_program(three, evo):
    evo("ahc", "config", "scores.input", "N M")
    data = json.loads(evo("ahc", "scores", "--json").stdout)
    assert data["best"]["0000"] == {"score": 100.0, "program": "s/gen01_ind00"}
    assert data["program"] == "main.cpp@333333"
    assert next((each["program"], each["pruned"]) for each in data["programs"]) == ("s/gen01_ind00", True)
    assert [(group["low"], group["loss"]) for group in data["groups"]] == [(5.0, 0.125), (9.0, 1.0)]


def test_a_program_without_scores_is_named_with_the_nearest(three, evo):
    with pytest.raises(UserError, match=r"no scores of a program 'man\.cpp'; did you mean"):
        evo("ahc", "scores", "man.cpp")


def test_without_a_run_it_is_said_what_to_do(workspace, evo):
    assert evo("ahc", "scores").stdout.splitlines()[-1].endswith("evo ahc test FILE")
    assert json.loads(evo("ahc", "scores", "--json").stdout)["program"] is None


def test_the_history_lists_tests_with_commit_tag_and_comment_the_newest_first(three, evo):
    _, main, old = evo("ahc", "history").stdout.splitlines()
    assert main.split()[2:] == ["main.cpp", "3", "1", "87.5", "1.25", "s", "abc1234+", "v2"]
    assert old.split()[2:] == ["old.cpp", "3", "0", "83.3333", "-", "first", "try"]
    assert [each["program"] for each in json.loads(evo("ahc", "history", "--json").stdout)] == ["main.cpp", "old.cpp"]


def test_of_a_longer_history_it_is_said_how_much_is_left_out(three, evo):
    assert evo("ahc", "history", "--most", "1").stdout.splitlines()[-1] == "and 1 more: --most"
    assert "more: --most" not in evo("ahc", "history", "--most", "2").stdout
    evo("ahc", "config", "language", "ja")
    assert evo("ahc", "history", "--most", "1").stdout.splitlines()[-1] == "ほか 1 件: --most で表示"


def test_tables_fit_japanese(three, evo):
    evo("ahc", "config", "language", "ja")
    said = evo("ahc", "scores").stdout.splitlines()
    assert said[0] == "3 プログラム、3 回の実行、3 ケース"
    assert said[2].split()[:3] == ["プログラム", "実行", "ケース"]
    assert evo("ahc", "history").stdout.splitlines()[0].split()[-1] == "コメント"


def test_nothing_in_a_comment_steers_the_terminal(workspace, ran, recorded, evo):
    recorded(ran("main.cpp", a=1.0, comment="\x1b[2Jgone"))
    assert "\x1b" not in evo("ahc", "scores").stdout + evo("ahc", "history").stdout


def test_a_page_shows_programs_groups_history_and_cases_in_the_language_of_the_settings(three, evo):
    evo("ahc", "config", "scores.input", "N M")
    for language, heading in (("en", "Best score of each case"), ("ja", "ケースごとの最良値")):
        evo("ahc", "config", "language", language)
        assert evo("ahc", "scores", "old.cpp", "-o", "scores.html").stdout == "scores.html\n"
        page = (three / "scores.html").read_text()
        assert [name in page for name in ("record", "groups", "history", "best")] == [True] * 4
        assert heading in page
        assert "s/gen01_ind00" in page
        assert "first try" in page


def test_nothing_in_a_comment_becomes_a_part_of_the_page(workspace, ran, recorded, evo):
    recorded(ran("main.cpp", a=1.0, comment="<script>x()</script>\x1b[2J"))
    evo("ahc", "scores", "-o", "scores.html")
    page = (workspace.folder / "scores.html").read_text()
    assert "<script" not in page
    assert "\x1b" not in page


def test_a_page_without_a_test_says_what_to_do(workspace, evo):
    evo("ahc", "scores", "-o", "scores.html")
    assert "evo ahc test FILE" in (workspace.folder / "scores.html").read_text()
