import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_env_setup.environments import VerificationCommand
from evograft_env_setup.setup.difference import describe_differences, find_changes
from evograft_env_setup.setup.verifier import EnvironmentVerifier, normalize_output


def verified(sandbox, command, expected):
    run = EnvironmentVerifier(lambda line: sandbox.run(line, timeout=60))
    return run.verify_setup([VerificationCommand(command=command, expected_output=expected)])


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("OK\\n", "OK"),
        ("OK", "OK"),
        ("OK\\r\\n", "OK"),
        ("OK\\n", "OK\n"),
        ("OK\\n\\n", "OK\n\n"),
        ("", ""),
        ("\\n", ""),
        (" OK", " OK"),
        ("a\\nb\\n", "a\nb"),
        ("OK\\r\\n", "OK\r\n"),
    ],
)
def test_equal_output_passes(kit, tmp_path, printed, expected):
    assert verified(kit.Shell(tmp_path), f"printf '{printed}'", expected).status == "success"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("OK\\n\\n", "OK"),
        ("OK\\n\\n", "OK\n"),
        ("OK", "OK\n"),
        ("OK \\n", "OK"),
        (" OK\\n", "OK"),
        ("ok\\n", "OK"),
        ("OK\\r", "OK"),
        ("OK\\r\\n", "OK\n"),
        ("a\\r\\nb\\n", "a\nb"),
        ("", "OK"),
    ],
)
def test_whatever_else_differs_fails(kit, tmp_path, printed, expected):
    result = verified(kit.Shell(tmp_path), f"printf '{printed}'", expected)
    assert result.status == "failed"
    assert result.commands[0].difference


def test_the_right_output_with_another_exit_code_fails(kit, tmp_path):
    result = verified(kit.Shell(tmp_path), "echo OK; exit 3", "OK")
    assert (result.status, result.commands[0].exit_code, result.commands[0].difference) == ("failed", 3, "")


def test_what_goes_to_stderr_is_not_compared(kit, tmp_path):
    assert verified(kit.Shell(tmp_path), "echo OK; echo noise >&2", "OK").status == "success"


def test_all_commands_run_though_the_first_one_fails(kit, tmp_path):
    sandbox = kit.Shell(tmp_path)
    verifier = EnvironmentVerifier(lambda line: sandbox.run(line, timeout=60))
    asked = [VerificationCommand(command=f"echo {word}", expected_output="b") for word in "ab"]
    assert [each.matches for each in verifier.verify_setup(asked).commands] == [False, True]


def test_nothing_to_verify_verifies_nothing(kit):
    assert EnvironmentVerifier(lambda _: None).verify_setup([]).status == "failed"


def test_a_difference_names_the_character_and_shows_what_cannot_be_seen():
    assert describe_differences("OK", "O\u212a\t") == 'character 2: expected "K", printed "\\u212a\\t"'
    assert describe_differences("3", "3.11") == 'character 2: expected nothing, printed ".11"'
    assert describe_differences("same", "same") == ""


@given(st.text(), st.text(), st.text(max_size=400))
def test_the_changes_make_the_printed_text_of_the_expected_one(expected, printed, common):
    expected, printed = common + expected, common + printed
    made, done = "", 0
    for change in find_changes(expected, printed):
        assert expected[change.at :].startswith(change.expected)
        made += expected[done : change.at] + change.printed
        done = change.at + len(change.expected)
    assert made + expected[done:] == printed


def test_the_difference_of_endless_output_is_short():
    assert len(describe_differences("ab" * 500_000, "ba" * 500_000)) < 3_000


@given(st.text(alphabet="a\r\n"))
def test_at_most_one_newline_is_left_out(stdout):
    assert normalize_output(stdout, "a") in (stdout, stdout[:-1], stdout[:-2])
    assert stdout.removeprefix(normalize_output(stdout, "a")) in ("", "\n", "\r\n")
    assert normalize_output(stdout, "a\n") == stdout
