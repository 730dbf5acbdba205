"""What CI may skip is bounded: a suite is not green because its tests did not run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = """
import pytest

@pytest.mark.parametrize("number", range(20))
def test_something(number):
    if number < {skipped}:
        pytest.skip("{reason}")
"""


@pytest.fixture
def outcome(tmp_path):
    """`outcome(skipped=, reason=, words=)`: exit code and output of a suite of 20 tests."""

    def run(words, *, skipped=1, reason="install ripgrep"):
        (tmp_path / "test_suite.py").write_text(TESTS.format(skipped=skipped, reason=reason))
        command = [sys.executable, "-m", "pytest", "-p", "conftest", "-c", os.devnull, "--rootdir", tmp_path]
        done = subprocess.run(
            [*command, "--skips-for", words, tmp_path],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "core" / "tests" / "helpers")])},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return done.returncode, done.stdout

    return run


def test_a_skip_for_a_reason_that_is_foreseen_is_no_failure(outcome):
    assert outcome("bubblewrap,ripgrep")[0] == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "reason"), [("rip", "install ripgrep"), ("", "install ripgrep"), ("root", "one core only")]
)
def test_any_other_skip_fails_the_run_and_is_named(outcome, words, reason):
    code, said = outcome(words, reason=reason)
    assert code == 1
    assert f"not to be skipped here: {reason}" in said


def test_a_suite_that_skips_too_much_is_not_green(outcome):
    code, said = outcome("ripgrep", skipped=3)
    assert code == 1
    assert "3 tests are skipped, more than 10%" in said
