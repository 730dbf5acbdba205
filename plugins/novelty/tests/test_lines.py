"""Line cycling: which added lines are old ones, and which lines were lost."""

from hypothesis import given
from hypothesis import strategies as st

from evograft_novelty import LineCycling, find_lost_lines, measure_cycling


def program(text):
    return {"main": "\n".join(text.split())}


PROGRAMS = st.lists(st.sampled_from(["a", "b", "c", "}", ""]), max_size=8).map(lambda lines: {"main": "\n".join(lines)})


def test_a_line_that_an_ancestor_had_and_the_parent_lost_is_cycled_when_it_comes_back():
    told = measure_cycling(program("a b c"), [program("a c")], [program("a c"), program("a b")])
    assert told == LineCycling(added=1, cycled=1, lines=("b",))
    assert told.share == 1


def test_a_line_that_nobody_had_is_added_and_not_cycled():
    told = measure_cycling(program("a b new"), [program("a")], [program("a b")])
    assert told == LineCycling(added=2, cycled=1, lines=("b",))
    assert told.share == 0.5


def test_nothing_added_has_a_share_of_nothing():
    assert measure_cycling(program("a"), [program("a b")], [program("a b c")]).share == 0


def test_blank_lines_and_brackets_do_not_count():
    child = {"main": "a\n\n  }\n});\n\t\n---\n"}
    assert measure_cycling(child, [program("a")], [child]) == LineCycling(added=0, cycled=0)


def test_white_space_around_a_line_does_not_count_and_case_does():
    child = {"main": "    Load()\nload()\t\n"}
    assert measure_cycling(child, [{"main": ""}], [{"main": "load()"}]) == LineCycling(
        added=2, cycled=1, lines=("load()",)
    )


def test_letters_of_any_script_make_a_line():
    assert measure_cycling({"main": "// 重心\n"}, [program("a")], [{"main": "// 重心"}]).cycled == 1


def test_a_line_that_moves_within_a_program_or_to_another_file_is_not_added():
    parent = {"one": "a\nb\n", "two": "c\n"}
    assert measure_cycling({"one": "b\n", "two": "c\na\n"}, [parent], [parent]).added == 0


def test_what_another_parent_has_is_not_added():
    assert measure_cycling(program("a b"), [program("a"), program("b")], [program("a b")]).added == 0


def test_a_second_copy_is_cycled_only_if_an_ancestor_had_two():
    assert measure_cycling(program("a a"), [program("a")], [program("a")]) == LineCycling(added=1, cycled=0)
    assert measure_cycling(program("a a"), [program("a")], [program("a a a")]) == LineCycling(
        added=1, cycled=1, lines=("a",)
    )
    assert measure_cycling(program("a a a"), [program("")], [program("a"), program("a a")]) == LineCycling(3, 2, ("a",))


def test_a_program_from_scratch_adds_all_its_lines():
    assert measure_cycling(program("a b"), [], []) == LineCycling(added=2, cycled=0)


def test_at_most_so_many_lines_are_named_in_the_order_of_the_child():
    old = program("a b c d")
    assert measure_cycling(program("d c b a"), [], [old], shown=2) == LineCycling(added=4, cycled=4, lines=("d", "c"))


@given(PROGRAMS, st.lists(PROGRAMS, max_size=2), st.lists(PROGRAMS, max_size=3))
def test_never_more_lines_are_cycled_than_added(child, parents, ancestors):
    told = measure_cycling(child, parents, ancestors)
    assert 0 <= told.cycled <= told.added
    assert 0 <= told.share <= 1
    assert bool(told.lines) == bool(told.cycled)


@given(PROGRAMS, st.lists(PROGRAMS, max_size=2))
def test_without_ancestors_but_the_parents_nothing_is_cycled(child, parents):
    assert measure_cycling(child, parents, []).cycled == 0
    assert measure_cycling(child, parents, parents).cycled == 0


@given(PROGRAMS, st.lists(PROGRAMS, max_size=2), st.lists(PROGRAMS, max_size=3))
def test_one_more_ancestor_never_makes_fewer_lines_cycled(child, parents, ancestors):
    assert measure_cycling(child, parents, ancestors[1:]).cycled <= measure_cycling(child, parents, ancestors).cycled


@given(PROGRAMS, PROGRAMS)
def test_to_go_back_to_an_ancestor_is_nothing_but_cycling(parent, ancestor):
    told = measure_cycling(ancestor, [parent], [ancestor])
    assert told.cycled == told.added


def test_lost_lines_are_told_once_and_the_latest_to_be_lost_first():
    ancestors = [program("a b"), program("a c b"), program("d c a")]
    assert find_lost_lines(program("a"), ancestors) == ["b", "c", "d"]


def test_what_the_parent_has_is_not_lost_and_brackets_never_are():
    assert find_lost_lines({"main": "  a\n"}, [{"main": "a\n}\n\n"}]) == []


@given(PROGRAMS, st.lists(PROGRAMS, max_size=3))
def test_to_add_a_lost_line_is_cycling(parent, ancestors):
    for line in find_lost_lines(parent, ancestors):
        child = {"main": f"{parent['main']}\n{line}"}
        assert measure_cycling(child, [parent], ancestors) == LineCycling(added=1, cycled=1, lines=(line,))
