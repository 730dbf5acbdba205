"""The templates: the same set in both languages, and a user's own in their place."""

import pytest

from evograft.errors import UserError
from evograft_ahc.reasoning.prompts.templates import PLACEHOLDERS, load_prompts, quote
from evograft_ahc.text.placeholders import CROSSOVER, MUTATION, find_placeholders


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_template_has_just_its_placeholders(language):
    prompts = load_prompts(language)
    for name, expected in PLACEHOLDERS.items():
        assert find_placeholders(prompts[name]) == expected, name


def test_the_prompts_of_settings_have_the_specified_placeholders():
    assert {PLACEHOLDERS["mutation_part"], PLACEHOLDERS["mutation_function"]} == set(MUTATION)
    assert (PLACEHOLDERS["crossover"],) == CROSSOVER


def test_a_users_template_takes_the_place_of_ours_alone(tmp_path):
    (tmp_path / "weakness.md").write_text("Where is it weak?\n")
    own, ours = load_prompts("en", tmp_path), load_prompts("en")
    assert own["weakness"] == "Where is it weak?"
    assert own["speed_up"] == ours["speed_up"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("weakness.md", b"{code}", "unknown placeholder {code}; those it may have: none"),
        ("craft.md", b"{tme}", "unknown placeholder {tme}; those it may have: {memory}, {time}"),
        ("weaknes.md", b"x", "there is no prompt of that name; did you mean 'weakness'"),
        ("weakness.md", b"\xff", "not UTF-8 at byte 0"),
    ],
)
def test_a_users_template_that_cannot_be_used_is_an_error(tmp_path, name, content, told):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        load_prompts("en", tmp_path)
    assert told in str(caught.value)
    assert name in str(caught.value)


def test_a_folder_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(UserError, match="no folder of prompts"):
        load_prompts("en", tmp_path / "none")


@pytest.mark.parametrize("text", ["plain", "```\ncode\n```", "a ````` b", ""])
def test_a_quotation_ends_where_it_was_to_end(text):
    fence, *inside, end = quote(text).split("\n")
    assert fence == end
    assert not any(fence in line for line in inside)
