"""What a record adds up to, whichever way scores are better."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_ahc.scores.run import ScoredRun
from evograft_ahc.scores.table import ScoreTable

SCORES = st.dictionaries(st.sampled_from("abcd"), st.none() | st.floats(1, 1e9), min_size=1)


def test_the_best_of_a_case_is_that_of_whoever_had_it_first(ran):
    table = ScoreTable([ran("p", a=5.0, b=None), ran("q", a=5.0, b=1.0), ran("r", a=4.0, b=2.0)], "max")
    assert {case: (best.score, best.program) for case, best in table.best.items()} == {
        "a": (5.0, "p@p"),
        "b": (2.0, "r@r"),
    }


@pytest.mark.parametrize(("direction", "relative"), [("max", {"p": 0.75, "q": 1.0}), ("min", {"p": 1.0, "q": 0.75})])
def test_relative_scores_follow_the_direction(ran, direction, relative):
    table = ScoreTable([ran("p", a=50.0, b=10.0), ran("q", a=100.0, b=10.0)], direction)
    assert {program.runs[0].name: table.relative(program) for program in table.programs} == relative
    assert [program.runs[0].name for program in table.programs] == sorted(relative, key=lambda name: -relative[name])


def test_a_program_is_the_same_in_all_its_runs_and_its_newest_score_counts(ran):
    table = ScoreTable([ran("p", a=1.0, b=2.0), ran("p", "session", b=3.0, c=4.0), ran("q", a=9.0)], "max")
    (program,) = (each for each in table.programs if len(each.runs) == 2)
    assert dict(program.scores) == {"a": 1.0, "b": 3.0, "c": 4.0}
    assert (program.label, table.count_best(program)) == ("p", 2)


def test_runs_of_programs_that_are_not_known_are_never_joined(ran):
    table = ScoreTable([ran("x", "pahcer", program="", a=1.0), ran("x", "pahcer", program="", a=2.0)], "max")
    assert len(table.programs) == 2


def test_a_program_is_found_by_its_name_or_the_beginning_of_its_label(ran):
    old, new = ran("main.cpp", program="1234567", a=1.0), ran("main.cpp", program="89abcdef", a=2.0)
    table = ScoreTable([old, new], "max")
    assert table.find_program("main.cpp").runs == (new,)
    assert table.find_program("main.cpp@1234").runs == (old,)
    assert table.find_program("other") is None


def test_a_program_is_found_by_an_earlier_name_unless_another_one_has_it_now(ran):
    first, renamed = ran("first.cpp", program="p", a=1.0), ran("best.cpp", program="p", a=1.0)
    assert ScoreTable([first, renamed], "max").find_program("first.cpp").runs == (first, renamed)
    other = ran("first.cpp", program="q", a=2.0)
    assert ScoreTable([first, other, renamed], "max").find_program("first.cpp").runs == (other,)


def test_what_was_tested_last_goes_before_what_a_session_did_later(ran):
    test, session = ran("p", a=1.0), ran("s/gen00_ind00", "session", a=2.0)
    assert ScoreTable([test, session], "max").latest.runs == (test,)
    assert ScoreTable([session], "max").latest.runs == (session,)
    assert ScoreTable([], "max").latest is None


@given(st.lists(SCORES, min_size=1, max_size=5), st.sampled_from(["max", "min"]))
def test_no_program_is_better_than_the_best_and_every_best_belongs_to_one(programs, direction):
    runs = [ScoredRun(str(n), "test", str(n), n, scores, str(n)) for n, scores in enumerate(programs)]
    table = ScoreTable(runs, direction)
    assert all(0 <= table.relative(program) <= 1 for program in table.programs)
    counted = sum(table.count_best(program) for program in table.programs)
    assert counted >= len(table.best)
    for program in table.programs:
        losses = [1 - table.relative_on(case, program.scores[case]) for case in table.list_weakest(program)]
        assert losses == sorted(losses, reverse=True)
