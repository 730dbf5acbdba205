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


def test_nine_of_ten_numbers_that_are_tuned_are_worth_it_and_most_that_are_worth_it_are_tuned():
    tuned = set().union(*map(tuned_of, PROGRAMS))
    worth = {literal for literal, is_worth in labels().items() if is_worth}
    assert len(tuned & worth) / len(tuned) >= 0.9, sorted(tuned - worth)
    assert len(tuned & worth) / len(worth) >= 0.7, sorted(worth - tuned)
