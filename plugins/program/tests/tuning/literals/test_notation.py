"""Numbers as programs write them: what is read, what is left alone, and what is written."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_program.tuning.literals.notation import LITERAL, read_literal

values = st.floats(1e-6, 1e9)
endings = st.sampled_from(["", "f", "F", "_f64", "f32", "_dp", "L"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("0", 0),
        ("1_000", 1000),
        ("1'000u", 1000),
        ("7ull", 7),
        ("3_i64", 3),
        ("2.5", 2.5),
        (".5", 0.5),
        ("5.", 5),
        ("1e-3", 0.001),
        ("2.5f", 2.5),
        ("1f", 1),
        ("2.5_f64", 2.5),
        ("0.5d0", 0.5),
        ("1.5D+2", 150),
        ("2.5_dp", 2.5),
    ],
)
def test_a_decimal_number_is_read_in_the_ways_of_many_languages(text, value):
    literal = read_literal(text)
    assert literal is not None
    assert literal.value == value
    assert re.fullmatch(LITERAL, text)


@pytest.mark.parametrize("text", ["0x1F", "017", "0b11", "2j", "1n2", "x", "", ".", "5px", "e5"])
def test_what_is_no_decimal_number_is_left_alone(text):
    assert read_literal(text) is None


@pytest.mark.parametrize(
    ("text", "value", "written"),
    [
        ("7", 8.6, "9"),
        ("7ull", 12, "12ull"),
        ("2.5", 0.123456789, "0.12346"),
        ("2.5f", 3, "3.0f"),
        ("2.5_dp", 1e-5, "1e-05_dp"),
        ("0.5d0", 0.25, "0.25d0"),
        ("0.5d0", 1e-7, "1d-07"),
        ("5.", 1e6, "1000000.0"),
    ],
)
def test_a_number_is_written_as_its_kind(text, value, written):
    assert read_literal(text).notation.write(value) == written


def test_an_integer_that_a_real_number_is_given_becomes_a_real_number():
    assert read_literal("2", is_real=True).notation.write(2.5) == "2.5"


@given(values, endings)
def test_what_is_written_is_read_as_the_same_value_and_kind(value, ending):
    notation = read_literal(f"2.5{ending}").notation if ending != "L" else read_literal("7L").notation
    again = read_literal(notation.write(value))
    assert again.notation == notation
    assert again.value == pytest.approx(value, rel=1e-4, abs=0.5 if notation.is_integer else 0)
    assert again.notation.write(again.value) == notation.write(value)
    assert re.fullmatch(LITERAL, notation.write(value))


@pytest.mark.parametrize(("text", "found"), [("1..5", ["1", "5"]), ("1.max(2)", ["1", "2"]), ("a.b[3]", ["3"])])
def test_the_point_of_a_range_or_of_a_method_does_not_belong_to_a_number(text, found):
    assert [each for each in re.findall(LITERAL, text.replace("..", " ")) if each] == found
