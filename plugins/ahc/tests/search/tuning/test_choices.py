"""What is tuned without marks, measured on programs whose numbers were labelled by hand: worth tuning, or not."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from evograft_ahc.search.tuning.fixed_values import NOTHING_FIXED, FixedValues, read_fixed_values
from evograft_ahc.search.tuning.numbers import find_numbers
from evograft_ahc.search.tuning.spans import find_range
from evograft_ahc.search.tuning.tunable import read_tunable
from evograft_hookspecs import Problem

FOLDER = Path(__file__).parents[2] / "data" / "literals"
PROGRAMS = sorted(file.stem for file in FOLDER.glob("*.cpp"))


class Literal(NamedTuple):
    program: str
    name: str
    text: str


@cache
def labels():
    with (FOLDER / "labels.csv").open(encoding="utf-8") as file:
        return {Literal(*row[:3]): row[3] == "yes" for row in list(csv.reader(file))[1:]}


def problem_of(program, seconds=2.0):
    text = (FOLDER / f"{program}.md").read_text(encoding="utf-8")
    statement = {
        "time_limit_ms": round(1000 * seconds),
        "problem_statement_summary": "",
        "constraints": {},
        "input_format_description": "",
        "input_variables": [],
        "output_format_description": "",
        "output_variables": [],
        "scoring_rules": {"description": ""},
        "problem_type_tags": [],
        "extracted_keywords": [],
    }
    analysis = {"statement": statement, "interactive": False, "strategies": [], "library": {}}
    return Problem(name="c", statement=text, kind="cpp", objective="o", analysis=analysis)


def source_of(program):
    return (FOLDER / f"{program}.cpp").read_text(encoding="utf-8")


def literal_of(program, source, number):
    return Literal(program, number.name, source.encode()[number.start : number.end].decode())


def tuned_of(program):
    source = source_of(program)
    tunable = read_tunable(source, most=100, fixed=read_fixed_values(problem_of(program)))
    return {literal_of(program, source, number) for number in tunable.parameters}


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_number_with_a_name_has_a_label(program):
    source = source_of(program)
    named = {literal_of(program, source, number) for number in find_numbers(source.encode()).found if number.name}
    assert named == {literal for literal in labels() if literal.program == program}


LATER = ["climbing", "tabu"]
"""Written and labelled after the rules were made; these were not changed for them."""


@pytest.mark.parametrize("programs", [[each for each in PROGRAMS if each not in LATER], LATER])
def test_nine_of_ten_numbers_that_are_tuned_are_worth_it_and_most_that_are_worth_it_are_tuned(programs):
    tuned = set().union(*map(tuned_of, programs))
    worth = {literal for literal, is_worth in labels().items() if is_worth and literal.program in programs}
    assert len(tuned & worth) / len(tuned) >= 0.9, sorted(tuned - worth)
    assert len(tuned & worth) / len(worth) >= 0.75, sorted(worth - tuned)


def names(source, **fixed):
    return [number.name for number in read_tunable(source, fixed=FixedValues(**fixed)).parameters]


def test_what_the_statement_fixes_is_tuned_with_a_mark_only():
    source = (
        "const int BEAM_WIDTH = 40; const double T = 7.5; const double MAX_M = 3.5; const double START_TEMP = 40.0;"
    )
    fixed = {"names": frozenset("tm"), "numbers": frozenset({40.0})}
    assert names(source) == ["BEAM_WIDTH", "T", "MAX_M", "START_TEMP"]
    assert names(source, **fixed) == ["START_TEMP"]
    assert names("const int BEAM_WIDTH = 40;  // evo: param", **fixed) == ["BEAM_WIDTH"]


def test_constraints_are_read_from_the_statement_and_say_the_time_limit():
    fixed = read_fixed_values(problem_of("beam", seconds=3.0))
    assert {"n", "m"} <= fixed.names
    assert fixed.numbers == {20.0, 40.0}
    assert names("const double MAIN_END = 2.85; const double FIRST = 1.4;", seconds=fixed.seconds) == ["FIRST"]
    assert read_fixed_values(None) == NOTHING_FIXED


@pytest.mark.parametrize(
    "source",
    [
        "constexpr int TABU_KEEP = 20, SIZE = TABU_KEEP * 4; int cells[SIZE];",
        "enum { BEAM = 30 };",
        "const int KEEP = 127; const int SAMPLES = -1;",
        "const int DIR_NUM = 4; const int MAX_STEPS = 1600; const int BOARD_SIZE = 30; const int LIMIT = 60;",
        "const double FIRST = 0.7; bool f() { return timer.elapsed() < FIRST; }",
        "const double FIRST = 0.7; double f(double start) { return (getTime() - start) / FIRST; }",
        "const double GOLD = 0.618034, LN = 0.693147;",
        "double f() { double weight = 1.0; weight *= 2; double mean = 0.5 * (a + b); return 100.0 * weight; }",
    ],
)
def test_constants_of_the_program_are_left_alone(source):
    assert names(source) == []


@pytest.mark.parametrize(
    ("source", "low", "high"),
    [
        ("const double SWAP_PROB = 0.4;", 0.04, 1),
        ("const double SWAP_WEIGHT = 0.4;", 0.04, 4),
        ("const double COOL_RATE = 0.999;", 0.99, 0.9999),
        ("const double DECAY = 0.9;", 0.5, 0.99),
        ("const double BONUS_WEIGHT = 0.95;", 0.095, 9.5),
        ("const int SWAP_PERCENT = 30;", 7.5, 100),
        ("const int TOP_KEEP = 3;", 1, 12),
        ("const double TILT_WEIGHT = -2.5;", -5, 0),
    ],
)
def test_ranges_follow_from_values_and_names(source, low, high):
    (number,) = find_numbers(source.encode()).found
    found = find_range(number)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_numbers_near_one_are_searched_by_their_distance_to_it():
    tunable = read_tunable("const double COOL_RATE = 0.9999;")
    (number,) = tunable.parameters
    assert number.range.place(0.9999) == pytest.approx(0.5)
    assert number.range.value(0.75) == pytest.approx(1 - 1e-4 / 10**0.5)
    assert tunable.write([0.999987654321]) == "const double COOL_RATE = 0.999987654;"
