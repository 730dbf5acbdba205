"""JSON in the text of a model."""

import pytest

from evograft_agent.calls.json_text import get_object


@pytest.mark.parametrize(
    "text",
    [
        'Here it is: {"a": 1}',
        '```json\n{"a": 1}\n```',
        '<think>{"a": 2}</think> {"a": 1}',
        'a set {x} first, then {"b": 3}: {"a": 1} and {"a": 4}',
        '{"answer": {"a": 1}}',
    ],
)
def test_the_first_object_with_a_key_is_found_whatever_is_around_it(text):
    assert get_object(text, ("a", "z")) == {"a": 1}


@pytest.mark.parametrize("text", ["", "a, z", '{"b": 1}', '["a"]', '{"a": 1', "{" * 10_000])
def test_without_such_an_object_the_error_names_the_keys(text):
    with pytest.raises(ValueError, match=r"no JSON object with 'a' or 'z' in the answer"):
        get_object(text, ("a", "z"))
