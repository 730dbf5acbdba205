"""The sections of a statement, whichever way its headings are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_ahc.contests.statement.sections import mark_headings, split_sections

UNDERLINED = """Problem Statement
-----------------

There are N nodes.

Input
=====

```
N
---
M
```

| a | b |
|---|---|

Output
------
Print it.
"""


def test_underlined_headings_are_sections():
    sections = dict(split_sections(mark_headings(UNDERLINED)))
    assert list(sections) == ["Problem Statement", "Input", "Output"]
    assert "```\nN\n---\nM\n```" in sections["Input"]
    assert sections["Output"].strip() == "Print it."


def test_the_line_says_the_level():
    assert mark_headings("A\n===\n\nB\n---\n") == "# A\n\n## B\n"


@pytest.mark.parametrize(
    "text",
    [
        "## Input\n\ntext\n\n---\n\nmore\n",
        "one line\nanother line\n---\n",
        "- item\n---\n",
        "| a |\n|---|\n| 1 |\n",
        "```\n\nA\n---\n```\n",
        "> quote\n---\n",
    ],
)
def test_what_is_no_heading_stays(text):
    assert mark_headings(text) == text


def test_lines_may_end_as_on_windows():
    assert list(dict(split_sections(mark_headings("Input\r\n-----\r\n\r\nN\r\n")))) == ["Input"]


@given(st.lists(st.sampled_from(["A", "---", "===", "", "```", "# B", "text text"])))
def test_headings_are_marked_once(lines):
    once = mark_headings("\n".join(lines))
    assert mark_headings(once) == once or "```" in lines
