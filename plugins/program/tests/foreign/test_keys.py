"""Keys of a configuration file: taken once, of the right type, and none of a provider."""

import pytest

from evograft.api import UserError
from evograft_program.foreign.keys import ForeignKeys, KnownKeys

NOTHING = KnownKeys(sections=frozenset(), met={}, remarks={}, governed={})


def test_a_value_of_another_type_is_named_with_its_path():
    keys = ForeignKeys({"llm": {"timeout": "soon", "retries": 1.5, "models": [1]}, "on": "yes", "name": 3}, "a.yaml")
    for take, path, kind in (
        (keys.take_number, "llm.timeout", "a number"),
        (keys.take_count, "llm.retries", "a whole number from 0"),
        (keys.take_texts, "llm.models", "a list of texts"),
        (keys.take_flag, "on", "true or false"),
        (keys.take_text, "name", "text"),
    ):
        with pytest.raises(UserError, match=f"^a.yaml: {path}: {kind} is needed, not "):
            take(path)


def test_a_number_with_an_exponent_that_yaml_takes_for_text_is_one():
    assert ForeignKeys({"x": "1e-3"}, "a.yaml").take_number("x") == 0.001


def test_a_file_that_is_no_mapping_is_refused():
    with pytest.raises(UserError, match=r"a.yaml: a mapping of keys is needed, not list"):
        ForeignKeys([1], "a.yaml")


def test_keys_that_nobody_takes_are_named_once_and_unknown_sections_as_a_whole():
    data = {"a": {"b": 1, "c": {"d": 2, "e": 3}}, "other": {"f": 4, "g": 5}, "quiet": True, "none": None}
    known = KnownKeys(sections=frozenset({"a"}), met={"quiet": (True,)}, remarks={"a.b": "x does it"}, governed={})
    assert ForeignKeys(data, "y").warnings(known) == (
        "y: a.b has no counterpart: x does it",
        "y: a.c has no counterpart",
        "y: other has no counterpart",
    )


def test_keys_of_a_part_that_is_off_are_quiet():
    known = KnownKeys(sections=frozenset({"a"}), met={"a.on": (False,)}, remarks={}, governed={"a.": "a.on"})
    assert ForeignKeys({"a": {"on": False, "x": 1}}, "y").warnings(known) == ()
    assert len(ForeignKeys({"a": {"on": True, "x": 1}}, "y").warnings(known)) == 2


@pytest.mark.parametrize(
    "data",
    [
        {"llm": {"api_key": "sk-0123456789abcdef"}},
        {"llm": {"models": [{"name": "x", "api_key": "0123456789abcdef"}]}},
        {"openai_api_key": "0123456789abcdef"},
        {"a": {"b": {"password": "0123456789abcdef"}}},
    ],
)
def test_a_key_in_a_file_is_refused_and_not_repeated(data):
    with pytest.raises(
        UserError, match=r"holds a key; put it into an environment variable.*write \$\{NAME\}"
    ) as refused:
        ForeignKeys(data, "a.yaml")
    assert "0123456789" not in str(refused.value)


@pytest.mark.parametrize("value", ["${MY_KEY}", "${oc.env:MY_KEY}", "ollama", "YOUR_API_KEY", "<key>", "", "...", None])
def test_what_is_no_key_may_stand_in_its_place(value):
    keys = ForeignKeys({"llm": {"api_key": value}}, "a.yaml")
    assert keys.take_reference("llm.api_key") == ("MY_KEY" if value and "MY_KEY" in value else None)


def test_limits_of_tokens_are_no_keys():
    assert ForeignKeys({"llm": {"max_tokens": "many"}}, "y").warnings(NOTHING) == ("y: llm has no counterpart",)
