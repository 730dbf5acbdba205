"""From what a model wrote to what a tool's schema asks for."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_agent.calls.arguments import ArgumentsError, fit_arguments
from evograft_hookspecs import FrozenDict, Tool

LAW = settings(max_examples=150, deadline=None)


def tool(*, required=(), others=False, **properties):
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": others}
    return Tool(name="tool", description="Does something.", parameters=schema)


def fit(schema, value):
    return fit_arguments(tool(x=schema), [("x", value)])["x"]


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("boolean", "true", True),
        ("boolean", " FALSE\n", False),
        ("boolean", "Yes", True),
        ("boolean", "no", False),
        ("integer", " 12 ", 12),
        ("integer", "-3", -3),
        ("number", "3", 3),
        ("number", "-2.5e3", -2500.0),
        ("array", '["a", 1]', ("a", 1)),
        ("object", ' {"a": [true]} ', FrozenDict({"a": (True,)})),
        ("string", " a ", " a "),
        ("string", "true", "true"),
        (["integer", "boolean"], "no", False),
        (["integer", "string"], "12", "12"),
    ],
)
def test_text_becomes_what_the_schema_asks_for(type_, text, value):
    got = fit({"type": type_}, text)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("boolean", "1"),
        ("boolean", ""),
        ("integer", "1.5"),
        ("integer", "one"),
        ("integer", "1_000"),
        ("number", "nan"),
        ("number", "1e999"),
        ("array", "a, b"),
        ("array", "[1] 2"),
        ("array", '{"a": 1}'),
        ("array", "[" * 100_000),
        ("object", "[]"),
        ("object", "{'a': 1}"),
    ],
)
def test_text_that_says_no_such_value_is_refused(type_, text):
    with pytest.raises(ArgumentsError, match=f"parameter 'x': .* is not of type '{type_}'"):
        fit({"type": type_}, text)


def test_a_value_of_json_keeps_its_type():
    assert fit({"type": "integer"}, 3) == 3
    with pytest.raises(ArgumentsError, match="5 is not of type 'string'"):
        fit({"type": "string"}, 5)
    with pytest.raises(ArgumentsError, match="1 is not of type 'boolean'"):
        fit({"type": "boolean"}, 1)


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"type": "integer", "minimum": 1}, "0", "0 is less than the minimum of 1"),
        ({"enum": ["a", "b"]}, "c", r"'c' is not one of \['a', 'b'\]"),
        ({"type": "array", "items": {"type": "string"}}, "[1]", "parameter 'x.0': 1 is not of type 'string'"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "A", r"'A' does not match '\^\[a-z\]\+\$'"),
    ],
)
def test_the_rest_of_the_schema_holds_as_well(schema, value, said):
    with pytest.raises(ArgumentsError, match=said):
        fit(schema, value)


def test_missing_extra_and_double_parameters_are_named_together():
    with pytest.raises(ArgumentsError) as caught:
        fit_arguments(tool(path={}, required=["path"]), [("pat", "a"), ("PAT", "b"), ("other", "c"), ("other", "d")])
    said = str(caught.value)
    assert "there is no parameter 'pat'; did you mean 'path'?" in said
    assert "parameter 'other' is given twice" in said
    assert "parameter 'path' is missing" in said


def test_names_of_parameters_have_no_case():
    assert fit_arguments(tool(maxDepth={"type": "integer"}), [("MAXDEPTH", "2")]) == FrozenDict({"maxDepth": 2})


def test_a_schema_may_take_other_parameters():
    assert fit_arguments(tool(others=True), [("any", "a")]) == FrozenDict({"any": "a"})


def test_a_tool_without_a_schema_takes_nothing():
    bare = Tool(name="now", description="Tells the time.")
    assert fit_arguments(bare, ()) == FrozenDict()
    with pytest.raises(ArgumentsError, match="there is no parameter 'zone'; there is none"):
        fit_arguments(bare, [("zone", "UTC")])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@LAW
@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_back(value):
    assert fit({"type": "number"}, json.dumps(value)) == value


@LAW
@given(st.sampled_from(["string", "boolean", "integer", "number", "array", "object", "null"]), json_values)
def test_any_value_fits_or_is_refused(type_, value):
    try:
        got = fit({"type": type_}, value)
    except ArgumentsError:
        return
    assert isinstance(got, {"string": str, "boolean": bool, "integer": (int, float)}.get(type_, object))
