"""Variables of inputs, and groups of cases by them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_ahc.scores.inputs import group_cases, read_variables


def put(workspace, case, text):
    workspace.input(case).write_text(text)


def test_variables_are_the_words_that_an_input_begins_with_over_its_lines(workspace):
    put(workspace, "0000", "10 3 0.05\n7\n1 2 3\n")
    found = read_variables(workspace, "N _ eps T", ["0000", "0001"])
    assert found == {"0000": {"N": 10, "eps": 0.05, "T": 7}}


@pytest.mark.parametrize("text", ["10", "10 x", ""])
def test_an_input_that_the_setting_does_not_fit_is_named(workspace, text):
    put(workspace, "0000", text)
    with pytest.raises(UserError, match=r"scores\.input 'N M' does not fit '.*0000\.txt', which begins with "):
        read_variables(workspace, "N M", ["0000"])


def test_a_variable_with_few_values_has_a_group_for_each_and_one_that_is_always_the_same_none():
    variables = {str(n): {"N": n % 3, "M": 7.0} for n in range(9)}
    groups = list(group_cases(variables))
    assert [(group.variable, group.values, len(group.cases)) for group in groups] == [
        ("N", "0", 3),
        ("N", "1", 3),
        ("N", "2", 3),
    ]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=60))
def test_every_case_is_in_exactly_one_group_of_a_variable(values):
    variables = {str(case): {"N": float(value)} for case, value in enumerate(values)}
    groups = list(group_cases(variables))
    grouped = [case for group in groups for case in group.cases]
    assert sorted(grouped) == (sorted(variables) if len(set(values)) > 1 else [])
    assert all(group.cases for group in groups)
    assert all(first.high < second.low for first, second in itertools.pairwise(groups))
