"""The structure of programs: what is counted, and that nothing breaks it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_novelty.structure import COUNTED, measure_structure

PYTHON = """
def f(x):
    for i in range(3):
        if x > i:
            return g(x)
    return [y for y in x if y]
"""
CPP = """
int f(int x) {
  for (int i = 0; i < 3; i++) { while (x) x--; }
  return x ? g(x) : 2;
}
"""


def counts(text: str, path: str, language: str) -> dict[str, int]:
    return {name: round(root**2) for name, root in measure_structure({path: text}, language).items() if name != "size"}


def test_parts_of_python_and_cpp_are_counted() -> None:
    assert counts(PYTHON, "a.py", "python") == {"functions": 1, "branches": 2, "loops": 2, "calls": 2, "numbers": 1}
    assert counts(CPP, "a.cpp", "cpp") == {"functions": 1, "branches": 1, "loops": 2, "calls": 1, "numbers": 3}


def test_of_other_languages_words_are_counted() -> None:
    found = measure_structure({"a.f90": "do i = 1, 3"}, "fortran")
    assert found["size"] > 0
    assert not any(found[name] for name in COUNTED)


def test_files_are_added_up() -> None:
    one, two = (measure_structure({"a.py": PYTHON, **more}, "python") for more in ({}, {"b.py": PYTHON}))
    assert two["calls"] == math.sqrt(2 * round(one["calls"] ** 2))


@pytest.mark.parametrize("language", ["python", "cpp"])
def test_deep_nesting_is_no_deep_recursion(language: str) -> None:
    assert measure_structure({"program": "(" * 20_000}, language)["size"] > 0


@given(st.text(), st.sampled_from(["python", "cpp", ""]))
def test_any_text_has_a_structure(text: str, language: str) -> None:
    assert all(map(math.isfinite, measure_structure({"program": text}, language).values()))
