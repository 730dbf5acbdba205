"""A program taken apart at its numbers, and put together again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_program.tuning.literals.choices import choose
from evograft_program.tuning.program_literals import read_program

MARKED = """LIMIT = 3.5
# EVOLVE-BLOCK-START
ALPHA = 0.5  # not 1.5
def weigh(x):
    return ALPHA * x - 0.25 * len("2.5 é")
# EVOLVE-BLOCK-END
BETA = 0.75
"""
names = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
numbers = st.floats(-1e6, 1e6).map(repr) | st.integers(-1000, 1000).map(str)
lines = st.builds("{} = {}".format, names, numbers) | st.sampled_from(
    ["# 1.5 é", 'text = "2.5"', "def f(a=0.5):", "    return a[3] ** 2", "", "x = [1, -2.5, 'ü 7']"]
)
programs = st.lists(lines, max_size=20).map("\n".join)


def texts_of(program):
    return [each.literal.text for each in program.placed]


@given(programs, st.sampled_from(["python", "ruby", ""]))
def test_a_program_with_its_own_values_is_the_same_text(text, language):
    program = read_program({"main": text}, language)
    assert program.write(dict(enumerate(program.values))) == {"main": text}


@given(programs, st.lists(st.floats(0.001, 1e6), min_size=200, max_size=200))
def test_what_is_written_is_read_back_and_all_other_text_stays(text, drawn):
    program = read_program({"main": text}, "python")
    written = program.write(dict(enumerate(drawn[: len(program.placed)])))
    again = read_program(written, "python")
    assert again.shape == program.shape
    for value, each in zip(drawn, again.placed, strict=False):
        assert each.literal.value == pytest.approx(value, rel=1e-4, abs=0.5 if each.literal.notation.is_integer else 0)


@given(programs, programs, programs)
def test_nothing_outside_of_marks_is_found(before, inside, after):
    marks = "# EVOLVE-BLOCK-START", "# EVOLVE-BLOCK-END"
    text = "\n".join([before, marks[0], inside, marks[1], after])
    program = read_program({"main": text}, "python")
    assert texts_of(program) == texts_of(read_program({"main": inside}, "python"))
    written = program.write(dict.fromkeys(range(len(program.placed)), 7.0))["main"]
    assert written.startswith(f"{before}\n{marks[0]}\n")
    assert written.endswith(f"\n{marks[1]}\n{after}")


@pytest.mark.parametrize("comment", ["# {}", "// {}", "/* {} */", "! {}", "<!-- {} -->", "-- {}"])
def test_marks_stand_in_any_comment(comment):
    start, end = comment.format("EVOLVE-BLOCK-START"), comment.format("EVOLVE-BLOCK-END")
    program = read_program({"main": f"a = 1.5\n{start}\nb = 2.5\n{end}\nc = 3.5\n"}, "befunge")
    assert texts_of(program) == ["2.5"]


def test_a_number_keeps_its_sign_and_its_text_where_it_does_not_change():
    program = read_program({"main": "a = -1.50\nb = 2.5e0\nc = 3_000\n"}, "python")
    assert program.write({0: 0.25}) == {"main": "a = -0.25\nb = 2.5e0\nc = 3_000\n"}


def test_of_several_files_those_with_marks_change():
    program = read_program({"a.py": MARKED, "b.cpp": "double x = 1.5;"}, "")
    assert texts_of(program) == ["0.5", "0.25"]
    assert program.write({0: 0.75})["b.cpp"] == "double x = 1.5;"


def test_of_several_files_without_marks_all_change_each_in_its_language():
    program = read_program({"a.py": "x = 1.5  # 2.5", "b.cpp": "double x = 3.5; // 4.5"}, "")
    assert program.write({0: 7.5, 1: 8.5}) == {"a.py": "x = 7.5  # 2.5", "b.cpp": "double x = 8.5; // 4.5"}


@pytest.mark.parametrize("text", ["# EVOLVE-BLOCK-START\nx = 1.5\n", "x = 1.5\n# EVOLVE-BLOCK-END\n"])
def test_of_broken_marks_nobody_knows_what_may_change(text):
    assert read_program({"main": text}, "python").placed == ()


def test_a_very_long_file_is_not_looked_at():
    assert read_program({"main": "x = 1.5\n" * 40_000}, "python").placed == ()


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("main.py", "while time.time() - began < 12.5:\n    x = 1"),
        ("main.py", "pool = refine(pool, rng, begin + 2.25)"),
        ("main.py", "end = perf_counter() + 14.5"),
        ("main.py", "stop = 13.5"),
        ("main.cpp", "while (elapsed() < 1.85) x++;"),
        ("main.rs", "if start.elapsed() > limit * 0.75 {}"),
        ("main.jl", "deadline = time() + 2.5"),
    ],
)
def test_what_a_program_may_take_of_time_is_no_choice(path, line):
    program = read_program({path: f"RATE = 0.75\n{line}\n" if path.endswith("py") else f"{line}\n"}, "")
    chosen = [program.placed[place].literal.text for place in choose(program.placed, most=20)]
    assert chosen == (["0.75"] if path.endswith("py") else [])


def test_a_number_next_to_other_words_for_a_moment_is_a_choice():
    program = read_program({"main.py": "low, high = start + 0.5, travel_time * 2.5\n"}, "")
    assert [program.placed[place].literal.text for place in choose(program.placed, most=20)] == ["2.5"]


def test_ones_that_are_put_into_a_matrix_belong_to_a_formula():
    program = read_program({"main.py": "jac[rows, -1] = -1.0\ngoal[-1] = 1.0\ncounts[0] = 5\nrates[0] = 0.35\n"}, "")
    assert [program.placed[place].literal.text for place in choose(program.placed, most=20)] == ["0.35"]


def test_a_text_that_its_grammar_never_ends_with_is_read_by_its_signs():
    program = read_program({"main.c": 'double x = 0.5;\n""|>!""(%w(=n}\n'}, "c")
    assert texts_of(program) == ["0.5"]
