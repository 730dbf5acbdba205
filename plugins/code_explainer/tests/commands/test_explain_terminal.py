"""What a person sees on a terminal."""

import os
import pty
import re

import pytest
from python_process import PythonProcess

SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def on_terminal(explain, repository):
    """Asks in a process whose output is a terminal; what that was sent."""

    def ask(*arguments):
        ours, theirs = pty.openpty()
        command = ("-m", "evograft", "explain", *arguments, *explain.model)
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
        process = PythonProcess(*command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        sent = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        assert process.wait(60) == 0
        return sent.decode()

    return ask


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""


def test_markdown_is_rendered_and_what_a_model_says_steers_nothing(on_terminal, model, repository):
    model.says(f"\x1b[2J{model.READ}", delay=0.5)  # what moves is drawn eight times a second
    title, said = "# Title", "**bold** \x1b]0;owned\x07 [red]markup[/red] [text](http://host/a)"
    model.completes(f"{title}\n\n{said} List<String>\n\n- `app/main.py:9`")
    sent = on_terminal("what?", repository)
    plain = SEQUENCE.sub("", sent)
    assert "\x1b]" not in sent
    assert "\x1b[2J" not in sent
    assert "step 1/40: asking the model" in plain
    assert " 0 tokens" not in plain
    assert "step 1/40  read_file app/main.py  18 tokens" in plain
    assert "**bold**" not in plain
    assert "\x1b[1mbold\x1b[0m" in sent
    assert "[red]markup[/red]" in plain
    assert "List<String>" in plain
    assert "http://host/a" in plain
    assert "app/main.py:9 (not found)" in plain
