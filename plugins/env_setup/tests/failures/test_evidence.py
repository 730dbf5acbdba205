"""What is read of an output, whatever a stranger's program prints."""

from hypothesis import given
from hypothesis import strategies as st

from evograft_env_setup.failures import classify
from evograft_env_setup.failures.evidence import EXCERPT, HEAD, TAIL, CommandEvidence

ERROR = "npm error code E404"


def kind_of(stderr):
    return classify("npm install", 1, "", stderr).kind


def test_colours_do_not_hide_words():
    assert kind_of("\x1b[1m\x1b[31mnpm\x1b[0m \x1b[31merror\x1b[0m code \x1b[4mE404\x1b[0m") == "name"


def test_of_a_line_that_is_written_over_the_last_form_counts():
    assert kind_of("npm error code E503\rnpm error code E404\n") == "name"
    assert kind_of("downloading\rnpm error code E404\r\n") == "name"


def test_blanks_that_only_look_like_blanks_separate_words():
    assert kind_of("\u2009ERROR\u2009 bad indentation of a mapping entry (3:2)") == "syntax"


def test_the_excerpt_has_the_line_that_gave_it_away_and_some_around_it():
    noise = [f"step {number}" for number in range(100)]
    excerpt = classify("npm install", 1, "\n".join([*noise, ERROR, *noise]), "").excerpt
    assert ERROR in excerpt
    assert "step 99" in excerpt
    assert len(excerpt.splitlines()) <= 12


def test_lines_around_a_very_long_one_are_in_the_excerpt_whole_and_its_own_ends_too():
    versions = f"ERROR: no version fits x (from versions: {', '.join(f'1.{n}' for n in range(900))}) END"
    asked = "ERROR: Ignored the following versions that require a different python version: 6.0 Requires-Python >=3.12"
    excerpt = classify(
        "pip install x", 1, "", f"{asked}\n{versions}\nERROR: No matching distribution found for x"
    ).excerpt
    lines = excerpt.splitlines()
    assert lines[0] == asked
    assert lines[1].startswith("ERROR: no version fits x")
    assert lines[1].endswith(" END")
    assert lines[2] == "ERROR: No matching distribution found for x"


def test_the_start_and_the_end_of_a_long_output_are_read():
    filler = "x" * 99 + "\n"
    long = filler * ((HEAD + TAIL) // len(filler) + 1000)
    assert kind_of(ERROR + "\n" + long) == "name"
    assert kind_of(long + ERROR) == "name"
    assert len(CommandEvidence("", 1, long, long).whole) <= 2 * (HEAD + TAIL + 10)


@given(st.text(), st.text(), st.integers(-15, 255))
def test_any_text_is_some_failure_that_can_be_written_down(stdout, stderr, exit_code):
    failure = classify("pip install x", exit_code, stdout, stderr)
    assert len(failure.excerpt) <= EXCERPT
    assert failure.model_validate_json(failure.model_dump_json()) == failure


@given(st.sampled_from(["\udc80", "\x00", "\x1b[", "\x1b]0;", "\r"]), st.integers(1, 20))
def test_broken_text_and_half_sequences_hide_nothing_behind_them(piece, times):
    assert kind_of(f"{piece * times}\n{ERROR}\n{piece * times}\n") == "name"


@given(st.permutations(["a line", "another", "a third"]))
def test_lines_that_no_rule_knows_change_nothing(lines):
    assert kind_of("\n".join([*lines, ERROR, *lines])) == "name"
