"""What the problem of a workspace is called, and where its statement is from."""

from pathlib import Path

import pytest

from evograft_ahc.problem import get_recorded_path, title_of

WORKSPACE = Path("/home/me/workspace/ahc030")


@pytest.mark.parametrize(
    ("statement", "path"),
    [
        (WORKSPACE / "problem" / "problem.md", "workspace/ahc030/problem/problem.md"),
        (WORKSPACE / "other.md", "workspace/ahc030/other.md"),
        (Path("/other.md"), "/other.md"),
        (Path("/home/me/notes/other.md"), "/home/me/notes/other.md"),
    ],
)
def test_a_statement_of_the_workspace_has_a_path_without_the_home_and_any_other_its_whole_one(statement, path):
    assert get_recorded_path(statement, WORKSPACE) == path


@pytest.mark.parametrize(("text", "title"), [("\n# Oil Field\n\nDig.", "Oil Field"), ("Dig.\n# Later", ""), ("", "")])
def test_a_statement_is_called_by_the_heading_that_it_begins_with(text, title):
    assert title_of(text) == title
