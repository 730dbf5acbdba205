"""Keys are masked wherever text is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.cli import _failed
from evograft.errors import ServiceError
from evograft.text.escapes import LONGEST, one_line
from evograft.text.masking import mask


def test_values_of_variables_that_are_named_like_keys_are_masked():
    environment = {
        "OPENAI_API_KEY": "value-of-key",
        "github_token": "value-of-token",
        "MY_SECRET_1": "value-of-secret",
        "DB_PASSWORD": "value-of-password",
        "HOME": "/home/somebody",
        "SHORT_KEY": "seven77",
        "EMPTY_TOKEN": "",
    }
    shown = mask(" ".join(f"<{value}>" for value in environment.values()), environment)
    assert shown == "<***> <***> <***> <***> </home/somebody> <seven77> <>"


def test_a_key_that_begins_with_another_key_is_masked_whole():
    environment = {"A_KEY": "abcdefgh", "B_KEY": "abcdefgh-and-more"}
    assert mask("abcdefgh-and-more abcdefgh", environment) == "*** ***"


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abcDEF123_456",
        "sk-ant-api03-abcdef",
        "sk-test**********cdef",
        "AIzaSyA-1234567890",
        "gsk_abcdefghij0123",
        "hf_abcdefghij0123",
        "ghp_abcdefghij0123",
        "ghs_abcdefghij0123",
        "github_pat_abcdefghij0123",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
    ],
)
def test_what_is_shaped_like_a_key_is_masked(key):
    assert mask(f"Incorrect API key provided: {key}.", {}) in (
        "Incorrect API key provided: ***.",
        "Incorrect API key provided: ***",
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer ***"),
        ("{'Authorization': 'bearer abc', 'x': 1}", "{'Authorization': 'bearer ***', 'x': 1}"),
        ("http://me:pass@host/path", "http://***@host/path"),
        ("https://host:8000/v1/chat: HTTP 404", "https://host:8000/v1/chat: HTTP 404"),
        ("a task-oriented risk-averse disk-full hf_ model", "a task-oriented risk-averse disk-full hf_ model"),
        ("graph_invariant-1, model qwen3:8b, sk- and keys", "graph_invariant-1, model qwen3:8b, sk- and keys"),
    ],
)
def test_shapes_are_told_from_ordinary_text(text, shown):
    assert mask(text, {}) == shown


@given(
    st.text(max_size=400), st.text(min_size=8, max_size=40).filter(lambda key: "*" not in key), st.text(max_size=400)
)
def test_no_key_of_the_environment_is_ever_left(before, key, after):
    shown = mask(before + key + after, {"THE_KEY": key})
    assert key not in shown


@given(st.text(max_size=1000))
def test_a_message_is_one_short_line(text):
    line = one_line(text)
    assert len(line) <= LONGEST
    assert len(line.splitlines()) <= 1
    assert line.isprintable()


def test_a_message_sends_no_commands_to_the_terminal_and_can_be_logged():
    assert one_line("a\x1b[2Jb\ud800c\0d") == "a�[2Jb�c�d"


def test_a_key_at_the_place_where_a_message_is_cut_is_not_left_in_half(monkeypatch):
    monkeypatch.setenv("ODD_KEY", "q" * 50)
    assert "qq" not in one_line("x" * (LONGEST - 10) + " " + "q" * 50)


@pytest.mark.parametrize("debug", ["", "1"])
@pytest.mark.parametrize("error", [ServiceError, RuntimeError])
def test_the_last_line_of_a_command_shows_no_key_nor_does_its_traceback(monkeypatch, capsys, error, debug):
    monkeypatch.setenv("EVO_DEBUG", debug)
    monkeypatch.setenv("SOME_TOKEN", "not-to-be-seen")
    with pytest.raises(error) as caught:
        raise error("Bearer abcdefghijk and not-to-be-seen") from ValueError("cause: not-to-be-seen")
    _failed(caught.value)
    printed = capsys.readouterr().err
    assert "not-to-be-seen" not in printed
    assert "abcdefghijk" not in printed
    assert "***" in printed
    assert ("Traceback" in printed) is bool(debug)
