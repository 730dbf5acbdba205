"""What counts as a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_playbook.search.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Back off, then retry.", ["back", "off", "then", "retry"]),
        ("std::chrono::steady_clock", ["std", "chrono", "steady_clock", "steady", "clock"]),
        ("numpy.einsum", ["numpy", "einsum"]),
        ("BrokenProcessPool", ["brokenprocesspool", "broken", "process", "pool"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("ORA-01555 E0502", ["ora", "01555", "e0502", "e", "0502"]),
        ("SIGKILL", ["sigkill"]),
        ("__init__", ["__init__", "init"]),
        ("焼き", ["焼", "き", "焼き"]),
        ("Pythonで書く", ["python", "で", "書", "く", "で書", "書く"]),
        ("ＡＢＣ ｱ", ["abc", "ア"]),
        ("Größe naïve", ["größe", "gr", "öß", "e", "naïve", "na", "ï", "ve"]),
        ("... ⇒ !?", []),
        ("", []),
    ],
)
def test_text_is_cut_into_tokens(text, expected):
    assert tokenize(text) == expected


@given(st.text(max_size=200))
def test_any_text_has_tokens_that_are_found_again_in_any_case(text):
    cut = tokenize(text)
    assert all(token and not token.isspace() for token in cut)
    assert tokenize(text) == cut


@given(st.from_regex(r"\A[a-z]{1,8}(_[a-z]{1,8}){0,3}\Z"))
def test_a_name_with_underscores_is_found_by_each_of_its_parts(name):
    assert set(name.split("_")) <= set(tokenize(name))
