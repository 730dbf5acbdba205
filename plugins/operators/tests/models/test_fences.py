"""Code blocks: what is written into a prompt is read back from an answer."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evograft_operators.models.fences import Fence, read_fences, read_info, write_fence

texts = st.text(st.sampled_from("ab `~#\n\t<>=é"), max_size=60)
tags = st.sampled_from(["", "python", "cpp", "text"])


def ended(text):
    return text if text.endswith("\n") or not text else f"{text}\n"


@settings(deadline=None)
@given(st.lists(st.tuples(texts, tags), max_size=4))
@example([("```python\nx\n```", "python")])
@example([("~~~\n````", "")])
def test_what_is_written_is_read_back(blocks):
    answer = "\n\nAnd this:\n\n".join(write_fence(text, tag) for text, tag in blocks)
    assert read_fences(answer) == [Fence(ended(text), tag) for text, tag in blocks]


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["a.py", "src/b.py", "main", "Makefile"]), texts))
def test_files_under_headings_are_read_back_with_their_paths(files):
    answer = "\n\n".join(f"### {path}\n\n{write_fence(text)}" for path, text in files.items())
    found = {fence.path: fence.text for fence in read_fences(answer, tuple(files))}
    assert found == {path: ended(text) for path, text in files.items()}


@settings(deadline=None)
@given(texts)
def test_any_text_can_be_read(text):
    assert all(isinstance(fence, Fence) for fence in read_fences(text))


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("", ("", None)),
        ("python", ("python", None)),
        ("Python", ("python", None)),
        ("c++", ("c++", None)),
        ("python src/a.py", ("python", "src/a.py")),
        ("python:src/a.py", ("python", "src/a.py")),
        ("src/a.py", ("", "src/a.py")),
        ("./a.py", ("", "a.py")),
        ('python title="a.py"', ("python", "a.py")),
        ("cpp {filename=a.cpp}", ("cpp", "a.cpp")),
        ("python main", ("python", "main")),
        ("{.python}", ("python", None)),
        ("python linenums", ("python", None)),
        ("cpp ../a.cpp", ("cpp", "../a.cpp")),
        ("vb.net", ("", "vb.net")),
    ],
)
def test_what_stands_behind_a_fence(info, expected):
    tag, path = read_info(info, ("main",))
    assert (tag.strip("{.}"), path) == expected


@pytest.mark.parametrize(
    "line",
    [
        "### a.py",
        "# `a.py`",
        "### File: a.py",
        "**a.py**",
        "`a.py`:",
        "#### **a.py**:",
        "### ./a.py",
    ],
)
def test_a_line_before_a_block_that_names_its_file(line):
    (fence,) = read_fences(f"{line}\n\nIt is short:\n```python\nx\n```")
    assert fence.path == "a.py"


@pytest.mark.parametrize(
    "line", ["### Step 1. The plan", "### Solution", "a.py", "### Version 2.0", "### 2.0", "- a.py"]
)
def test_a_line_that_names_no_file(line):
    (fence,) = read_fences(f"{line}\n```python\nx\n```")
    assert fence.path is None


def test_a_path_holds_for_one_block():
    found = read_fences("### a.py\n```\nx\n```\n```\ny\n```")
    assert [fence.path for fence in found] == ["a.py", None]


def test_a_block_within_a_block_belongs_to_its_text():
    (fence,) = read_fences('```python\n"""Say:\n```python\nx\n```\n"""\n```\nDone.')
    assert fence.text == '"""Say:\n```python\nx\n```\n"""\n'


def test_a_block_in_a_list_loses_its_indentation():
    (fence,) = read_fences("1. First\n   ```python\n   if x:\n       y\n   ```\n")
    assert fence.text == "if x:\n    y\n"


def test_a_fence_that_is_far_to_the_right_ends_nothing():
    (fence,) = read_fences("```\nx\n    ```\ny\n```")
    assert fence.text == "x\n    ```\ny\n"


def test_backquotes_within_a_line_are_no_fence():
    assert read_fences("``` x ``` is code\n") == []


def test_a_block_without_end_says_so():
    assert [fence.closed for fence in read_fences("```\na\n```\n```python\nx\n")] == [True, False]
