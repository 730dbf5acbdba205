"""What docs/env.md shows is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from evograft_env_setup.reporting.comment import FailureComment
from evograft_env_setup.setup.difference import describe_differences
from evograft_env_setup.setup.retries import WAITS

PAGE = (Path(__file__).parents[4] / "docs" / "env.md").read_text(encoding="utf-8")


def run_example(folder):
    code = re.search(r'```python title="set_up.py"\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL)[1]
    (folder / "set_up.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-W", "error", "set_up.py"]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def project(tmp_path):
    """A project that any machine can set up: its environment is one of its own."""
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def test_the_example_sets_a_project_up_or_says_why_not(project):
    (project / "go.mod").write_text("module \x01\n")
    printed = run_example(project.parent)
    written = (project.parent / "setup.md").read_text(encoding="utf-8")
    assert "Current environment: go" in printed
    if "Setup status: failed" in printed:  # as where there is no Go
        assert "## Environment setup failed" in written
        assert "no model is set" in written
    else:
        assert "- [x] Environment Setup" in written


def test_the_comment_of_the_page_is_the_one_that_is_posted():
    comment = FailureComment(
        environment_name="python",
        error_message="…",
        network_retry_count=0,
        llm_regeneration_count=3,
        error_classification="fixable (name)",
    )
    assert f"````markdown\n{comment.markdown('en')}````\n" in PAGE


def test_the_waits_of_the_page_are_those_of_the_code():
    assert WAITS == {"network": (5, 10, 20), "server": (10,) * 3, "lock": (3,) * 5}
    for words in ("after 5, 10 and 20 seconds", "after 10 seconds, three times", "after 3 seconds, five times"):
        assert words in PAGE


def test_the_difference_of_the_page_is_the_one_that_is_told():
    assert f"```text\n{describe_differences('3', '3.11')}\n```" in PAGE
