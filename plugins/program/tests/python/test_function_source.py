"""Functions that are sent by their source: with what they use, and refused by name where that cannot be sent."""

import dataclasses
import json
import math
import xml.etree
import xml.etree.ElementTree as ET
from collections import Counter as Tally
from pathlib import Path
from random import Random, randint, random
from typing import Any

import numpy as np
import pytest

from evograft.errors import UserError
from evograft_program.python.function_source import collect_source

FACTOR = 2.5
LIMITS = {"low": -math.inf, "names": ("a", "b"), "none": None, "empty": []}
GENERATOR = Random(1)
SCALE = np.float32(0.1)
GRID = np.array([[1.0, -math.inf], [math.nan, 2.0]])
EMPTY = np.zeros((0, 3), dtype=np.int16)
OBJECTS = np.array([Random(1)])


def executed(function, as_name="evaluate"):
    """The function as another process has it: made of the text alone."""
    names = {"__name__": "sent"}
    exec(compile(collect_source(function, as_name=as_name), "sent.py", "exec"), names)
    return names[as_name]


def doubled(value):
    return FACTOR * value


class Base:
    weight = FACTOR


@dataclasses.dataclass
class Point(Base):
    x: float

    @property
    def scaled(self):
        return doubled(self.x) * self.weight

    @classmethod
    def origin(cls):
        return cls(float(json.loads("0")))


def scored(candidate: str, unused: Path | None = None) -> dict[str, Any]:
    tally = Tally(candidate)
    return {"combined_score": Point(tally["a"]).scaled, "origin": Point.origin().x, "low": LIMITS["low"]}


def even(number):
    return number == 0 or odd(number - 1)


def odd(number):
    return number != 0 and even(number - 1)


def test_a_function_brings_the_imports_functions_classes_and_constants_that_it_uses():
    assert executed(scored)("abab") == {"combined_score": 12.5, "origin": 0.0, "low": -math.inf}
    source = collect_source(scored, as_name="evaluate")
    assert "def evaluate(candidate: str" in source
    assert "GENERATOR" not in source


def test_functions_that_call_each_other_are_sent_together():
    assert executed(even)(7) is False


def test_packages_come_with_the_modules_that_are_reached_through_them():
    def parse(text):
        return xml.etree.ElementTree.fromstring(text).tag, ET.fromstring("<b/>").tag

    assert executed(parse)("<a/>") == ("a", "b")


def test_functions_of_the_standard_library_are_imported_by_name():
    def draw(path):
        return randint(3, 3) + int(random()) + math.floor(1.5)

    assert executed(draw)("") == 4


def test_its_own_name_stays_next_to_the_one_it_is_called_by():
    def factorial(number):
        return 1 if number == 0 else number * factorial_of(number - 1)

    factorial_of = factorial
    with pytest.raises(UserError, match="uses factorial_of of the function around it"):
        collect_source(factorial, as_name="evaluate")
    assert executed(doubled, as_name="evaluate")(2) == 5.0
    assert "doubled = evaluate" in collect_source(doubled, as_name="evaluate")


def test_variables_of_a_function_around_it_are_refused_by_name():
    offset = 3

    def shifted(candidate):
        return len(candidate) + offset

    with pytest.raises(UserError, match=r"shifted\(\) uses offset of the function around it.*default of a parameter"):
        collect_source(shifted, as_name="evaluate")


def constants_of_numpy():
    return SCALE, GRID, EMPTY


def test_numbers_and_arrays_of_numpy_are_sent_with_their_types_and_shapes():
    for sent, own in zip(executed(constants_of_numpy)(), (SCALE, GRID, EMPTY), strict=True):
        np.testing.assert_array_equal(sent, own)
        assert (type(sent), sent.dtype, sent.shape) == (type(own), own.dtype, own.shape)


def drawn(candidate):
    return GENERATOR.random()


def boxed(candidate):
    return OBJECTS


def lost(candidate):
    return nowhere(candidate)  # noqa: F821


def test_what_cannot_be_written_down_is_refused_by_name():
    with pytest.raises(UserError, match=r"drawn\(\) uses GENERATOR, a Random, which cannot be sent as source"):
        collect_source(drawn, as_name="evaluate")
    with pytest.raises(UserError, match=r"boxed\(\) uses OBJECTS, a ndarray, which cannot be sent as source"):
        collect_source(boxed, as_name="evaluate")
    with pytest.raises(UserError, match=r"lost\(\) uses nowhere, which its module does not define"):
        collect_source(lost, as_name="evaluate")


@pytest.mark.parametrize("value", [lambda candidate: 1, len, Point(1.0).scaled.__add__, int])
def test_what_is_not_a_function_of_its_own_is_refused(value):
    with pytest.raises(UserError, match="give a function that is defined by def"):
        collect_source(value, as_name="evaluate")


def test_a_function_without_a_readable_source_is_refused():
    names = {"__name__": "typed"}
    exec("def typed(candidate):\n    return 1\n", names)
    with pytest.raises(UserError, match=r"the source of typed cannot be read: define it in a file"):
        collect_source(names["typed"], as_name="evaluate")
