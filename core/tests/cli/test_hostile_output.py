"""No command prints a text of strangers that steers a terminal, reorders or hides text."""

import json
import os
import pty

import pytest
from python_process import PythonProcess

from evograft.text.escapes import UNSAFE, escape_controls, escaped

HOSTILE = "a\x1b[2J\x07\x7f\x9b5n\u202eb\u200bc\ufeff\U000e0041d"


@pytest.fixture
def told(runs):
    """A finished run that was told something hostile, which each of its later trials holds."""
    path = runs.run("runs/told", trials=5)
    assert runs.evo("tell", path, HOSTILE).returncode == 0
    runs.resume(path, "budget.trials=20")
    return path


def on_a_terminal(runs, *words):
    """What a command prints where standard output is a terminal."""
    ours, theirs = pty.openpty()
    with PythonProcess("-m", "evograft", *words, cwd=runs.folder, stdout=theirs, stderr=theirs):
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the terminal has nobody any more
                break
            if not part:
                break
            parts.append(part)
    os.close(ours)
    return b"".join(parts).decode().replace("\r", "")


@pytest.mark.parametrize(
    "words",
    [
        ("show", "{run}", "--trial", "19", "--json"),
        ("export", "{run}"),
        ("status", "{run}", "--json"),
        ("status", "--all", "--json"),
        ("report", "{run}", "--json"),
        ("resume", "{run}", "--json"),
    ],
)
def test_json_holds_hostile_texts_as_escapes_that_read_back_the_same(runs, told, words):
    done = runs.evo(*(word.format(run=told) for word in words))
    assert done.returncode == 0, done.stderr
    assert not UNSAFE.search(done.stdout)
    if words[0] in ("show", "export"):
        assert HOSTILE in [advice["text"] for advice in json.loads(done.stdout.splitlines()[-1])["proposal"]["advice"]]


@pytest.mark.parametrize(
    "words",
    [
        ("status", "{run}"),
        ("status", "--all"),
        ("show", "{run}", "--trial", "19"),
        ("show", "{run}"),
        ("export", "{run}", "--format", "csv"),
        ("answer", "{run}"),
        ("stop", HOSTILE),
        (HOSTILE,),
    ],
)
def test_a_terminal_is_not_steered_by_what_a_command_prints(runs, told, words):
    (told / "pipeline.lock.yaml").rename(told / "kept")
    text = (told / "kept").read_text().replace("name: told", f"name: {json.dumps(HOSTILE)}")
    (told / "pipeline.lock.yaml").write_text(text)
    printed = on_a_terminal(runs, *(word.format(run=told) for word in words))
    assert printed.strip()
    assert not UNSAFE.search(printed)


def test_escapes_of_json_read_back_and_those_for_people_show_what_was_there():
    assert json.loads(escaped(json.dumps(HOSTILE, ensure_ascii=False))) == HOSTILE
    assert escape_controls("\u202e\x1b\U000e0041") == "<U+202E>␛<U+E0041>"
