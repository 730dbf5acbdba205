"""A conversation whose other end stays open: a terminal, or a pipe that somebody still holds."""

import io
import os
import threading
from contextlib import closing

import pytest
from python_process import run_evo

from evograft.cli.typed_lines import TypedLines


@pytest.fixture
def pipe():
    reader, writer = os.pipe()
    with os.fdopen(reader, encoding="utf-8") as stream:
        yield stream, writer


def test_lines_come_one_by_one_and_the_last_one_without_its_end(pipe):
    stream, writer = pipe
    lines = TypedLines(stream)
    os.write(writer, b"one\ntwo\nhalf")
    os.close(writer)
    assert [lines.read() for _ in range(4)] == ["one\n", "two\n", "half", ""]


def test_bytes_that_are_no_text_become_marks(pipe):
    stream, writer = pipe
    with closing(os.fdopen(writer, "wb", buffering=0)) as typed:
        typed.write(b"caf\xe9\n")
        assert TypedLines(stream).read() == "caf\N{REPLACEMENT CHARACTER}\n"


def test_who_waits_goes_on_when_the_lines_end(pipe):
    stream, writer = pipe
    lines, read = TypedLines(stream), []
    waiting = threading.Thread(target=lambda: read.append(lines.read()))
    waiting.start()
    lines.end()
    waiting.join(60)
    os.close(writer)
    assert read == [""]


def test_a_stream_in_memory_is_read_too():
    assert TypedLines(io.TextIOWrapper(io.BytesIO(b"word\n"), encoding="utf-8")).read() == "word\n"


@pytest.mark.parametrize("kind", ["terminal", "pipe"])
@pytest.mark.parametrize("words", [b"\n\n\n", b"\n\n\nq\n"])
def test_a_conversation_ends_quietly_while_the_other_end_is_open(lab, runs, kind, words):
    ours, theirs = os.openpty() if kind == "terminal" else reversed(os.pipe())
    try:
        os.write(ours, words)
        pipeline = runs.write(trials=200)
        done = run_evo("run", pipeline, "--interactive", "--run-dir", "run", cwd=runs.folder, stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert "Fatal Python error" not in done.stderr
    assert done.returncode in (0, 130), done.stderr
    assert "4. The search" in done.stdout
