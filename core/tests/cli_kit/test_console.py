"""What a display sends to a terminal, to a pipe, and to nobody."""

import io
import re
import sys
from contextlib import suppress

import pytest

from evograft.cli_kit.console import Display

HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202e[red]markup[/red] :smile: \x9b5n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def stderr(monkeypatch):
    """Puts a stream in the place of standard error."""

    def put(stream):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "200")
        return stream

    return put


def test_a_terminal_shows_lines_that_stay_and_below_them_what_moves(stderr):
    sent = stderr(Terminal())
    with Display("auto") as display:
        display.move("at work")
        display.say("line one")
    assert "at work" in sent.getvalue()
    assert "line one" in sent.getvalue()
    assert display.is_live


def test_a_command_that_is_longer_than_the_terminal_is_wide_stays_in_one_piece(stderr, monkeypatch):
    sent = stderr(Terminal())
    monkeypatch.setenv("COLUMNS", "40")
    with Display("live") as display:
        display.move("at work")
        display.say(f"go on with: evo resume /{'folder/' * 20}")
    assert f"go on with: evo resume /{'folder/' * 20}\n" in sent.getvalue()


def test_prose_that_is_longer_than_the_terminal_is_wide_wraps_between_words(stderr, monkeypatch):
    sent = stderr(Terminal())
    monkeypatch.setenv("COLUMNS", "40")
    with Display("live") as display:
        display.say("evaluations run one at a time: plugin 'circle' does not declare thread_safe")
        assert display.width == 40
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", sent.getvalue())
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    assert lines[:2] == ["evaluations run one at a time: plugin", "'circle' does not declare thread_safe"]


def test_a_pipe_gets_lines_alone(stderr):
    sent = stderr(io.StringIO())
    with Display("auto") as display:
        display.move("at work")
        display.say("line one")
    assert sent.getvalue() == "line one\n"


def test_a_quiet_display_says_nothing_even_on_a_terminal(stderr):
    sent = stderr(Terminal())
    with Display("quiet") as display:
        display.move("at work")
        display.say("line one")
    assert sent.getvalue() == ""


def test_what_is_said_before_and_after_the_work_moves_nothing(stderr):
    sent = stderr(Terminal())
    display = Display("live")
    display.say("before")
    with display:
        pass
    begun = sent.tell()
    display.say("after")
    display.move("at work")
    assert sent.getvalue().startswith("before\n")
    assert sent.getvalue()[begun:] == "after\n"


@pytest.mark.parametrize("style", ["live", "plain"])
def test_nothing_that_is_said_steers_a_terminal_or_holds_a_key(stderr, monkeypatch, style):
    monkeypatch.setenv("SOME_API_KEY", "0123456789abcdef0123")
    sent = stderr(Terminal())
    with Display(style) as display:
        display.say(f"{HOSTILE} 0123456789abcdef0123")
    for steering in ("\x1b[2J", "\x1b]", "\u202e", "\x9b", "0123456789abcdef0123"):
        assert steering not in sent.getvalue()
    assert "[red]markup[/red] :smile:" in sent.getvalue()
    assert "***" in sent.getvalue()


def test_the_terminal_is_put_back_when_work_is_interrupted(stderr):
    sent = stderr(Terminal())
    with suppress(KeyboardInterrupt), Display("live") as display:
        display.move("at work")
        raise KeyboardInterrupt
    assert sent.getvalue().count("\x1b[?25h") == sent.getvalue().count("\x1b[?25l") == 1
    assert sys.stderr is sent
