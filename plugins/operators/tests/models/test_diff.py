"""SEARCH/REPLACE blocks: what they change, and what is said of those that do not apply."""

from __future__ import annotations

import contextlib
from difflib import SequenceMatcher
from textwrap import indent

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evograft_hookspecs import CandidateRejected
from evograft_operators.models.diff import apply_edits, has_edits, read_edits

PROGRAM = "def f(x):\n    y = x + 1\n    return y\n\n\ndef g(x):\n    y = x + 1\n    return 2 * y\n"
lines = st.lists(st.sampled_from(["a", "b", "  a", "", "=======", "<<<<<<< SEARCH", ">>>>>>> REPLACE", "c\r", "```"]))


def block(search, replace, *, length=7, path=None):
    head = f"### {path}\n" if path else ""
    body = "".join(f"{line}\n" for line in [*search, "=" * length, *replace])
    return f"{head}{'<' * length} SEARCH\n{body}{'>' * length} REPLACE\n"


def applied(text, answer, **more):
    return apply_edits({"main": text}, read_edits(answer), **more)["main"]


def refused(text, answer):
    with pytest.raises(CandidateRejected) as caught:
        applied(text, answer)
    return caught.value.reason


def blocks_between(old, new):
    """Blocks from the last change to the first, each with as many lines around it as make it stand once."""
    for tag, a, b, c, d in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if tag == "equal":
            continue
        before = after = 0
        while True:
            search = old[a - before : b + after]
            places = [i for i in range(len(old)) if old[i : i + len(search)] == search]
            if any(line.strip() for line in search) and len(places) == 1:
                break
            before, after = min(before + 1, a), min(after + 1, len(old) - b)
        yield block(search, [*old[a - before : a], *new[c:d], *old[b : b + after]], length=9)
        old = old[:a] + new[c:d] + old[b:]


@settings(deadline=None)
@given(lines, lines)
@example(["a", "a"], ["a"])
@example(["a"], [])
def test_the_blocks_between_two_texts_make_the_one_into_the_other(old, new):
    old, new = ["first", *old], [*new, "last"]
    answer = "Some words.\n".join(blocks_between(old, new)).replace("\r", "")
    text, expected = ("".join(f"{line}\n" for line in each) for each in (old, new))
    assert applied(text, answer).replace("\r", "") == expected.replace("\r", "")


@settings(deadline=None)
@given(st.text(st.sampled_from("<>= SEARCHREPLACE\n`#a"), max_size=200))
def test_any_answer_is_applied_or_rejected(answer):
    with contextlib.suppress(CandidateRejected):
        assert apply_edits({"main": PROGRAM}, read_edits(answer)).keys() == {"main"}


def test_blocks_apply_one_after_the_other():
    first = block(["def g(x):"], ["def h(x):"])
    second = block(["def h(x):", "    y = x + 1"], ["def h(x):", "    y = x + 2"])
    assert applied(PROGRAM, f"Two steps.\n```\n{first}```\nand\n{second}").endswith(
        "def h(x):\n    y = x + 2\n    return 2 * y\n"
    )


def test_lines_can_be_taken_out():
    assert applied("a\nb\nc\n", block(["b"], [])) == "a\nc\n"


def test_blanks_at_the_ends_of_lines_do_not_matter():
    assert applied("a  \nb\n", block(["a", "b\t"], ["c"])) == "c\n"


def test_lines_that_differ_in_blanks_at_their_ends_are_told_apart_if_need_be():
    assert applied("a  \na\n", block(["a"], ["c"])) == "a  \nc\n"


def test_line_ends_are_those_of_the_file_and_untouched_lines_stay_as_they_are():
    assert applied("a\r\nb\nc\r\n", block(["b"], ["x", "y"])) == "a\r\nx\r\ny\r\nc\r\n"


def test_a_last_line_without_end_stays_without():
    assert applied("a\nb", block(["b"], ["c"])) == "a\nc"


@pytest.mark.parametrize(
    ("search", "replace", "expected"),
    [
        (["f(a);"], ["h(a);"], "for (;;) h(a);\nint ab;\n"),  # begins within a line
        (["for (;;)"], ["while (true)"], "while (true) f(a);\nint ab;\n"),  # ends within one
        (["f(a);", "int ab"], ["{}", "int c"], "for (;;) {}\nint c;\n"),
        (["", "for (;;)", ""], ["", "while (true)", ""], "while (true) f(a);\nint ab;\n"),  # in one line as before
        (["f(a);"], [], "for (;;) \nint ab;\n"),
    ],
)
def test_a_text_that_stands_once_within_lines_is_found(search, replace, expected):
    assert applied("for (;;) f(a);\nint ab;\n", block(search, replace)) == expected


def test_lines_around_a_text_within_lines_end_as_those_of_the_file():
    answer = block(["f(a);", "int ab"], ["f(b);", "int c", "int d"])
    assert applied("for (;;) f(a);\r\nint ab;\r\n", answer) == "for (;;) f(b);\r\nint c\r\nint d;\r\n"


def test_a_text_within_lines_says_which_file_if_no_file_holds_it_as_lines():
    files = {"a.cpp": "for (;;) f(a);\n", "b.cpp": "g(a);\n"}
    edits = read_edits(block(["f(a);"], ["h(a);"]))
    assert apply_edits(files, edits) == {**files, "a.cpp": "for (;;) h(a);\n"}
    files["b.cpp"] = "f(a);\n"
    assert apply_edits(files, edits) == {**files, "b.cpp": "h(a);\n"}


@pytest.mark.parametrize("search", [["int a"], ["b;"], ["(;"], ["f(a);", "int a"]])
def test_a_part_of_a_word_is_not_found_within_a_line(search):
    text = "for (;;) f(a);\nint ab;\n" if search != ["(;"] else "(;(;\n"
    assert "nowhere in the program" in refused(text, block(search, ["x"]))


def test_longer_marks_hold_lines_that_look_like_marks():
    text = "a\n=======\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n"
    assert applied(text, block(text.splitlines(), ["b"], length=8)) == "b\n"


def test_a_block_in_a_list_is_read_without_its_indentation():
    answer = "1. Faster:\n\n   ```python\n" + indent(block(["    return y"], ["    return -y"]), "   ") + "   ```\n"
    assert applied(PROGRAM, answer) == PROGRAM.replace("return y", "return -y")


def test_the_words_of_the_marks_may_be_in_small_letters():
    answer = block(["    return y"], ["    return -y"]).replace("SEARCH", "search").replace("REPLACE", "replace")
    assert applied(PROGRAM, answer) == PROGRAM.replace("return y", "return -y")


def test_an_answer_without_a_block_has_no_edits():
    assert not has_edits("Let me SEARCH <<<<<<< for it\n")
    assert has_edits("Well:\n<<<<<<< SEARCH\n")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (block(["    z = 3"], ["x"]), ["block 1", "'z = 3'", "nowhere", "copy the lines"]),
        (
            block(["def f(x):"], ["def h(x):"]) + block(["    return yy"], ["x"]),
            ["block 2", "'return yy'", "the nearest line is 3: 'return y'"],
        ),
        (
            block(["def f(x):", "    y = x + 2"], ["x"]),
            ["near line 1", "line 2: 'y = x + 1' is there, 'y = x + 2' was searched"],
        ),
        (block(["return 2 * y", "and more"], ["x"]), ["near line 8", "line 9: the end of the program is there"]),
        (block(["  y = x + 1", "  return y"], ["x"]), ["lines 2 to 3", "indentation"]),
        (block(["    y = x + 1"], ["x"]), ["stand 2 times, at lines 2, 7", "until they stand once"]),
        (block(["qqqq", "wwww"], ["x"]), ["no line of it is like the first one"]),
        (block(["", " "], ["x"]), ["searches for nothing"]),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", ["block 1 has no line ======="]),
        ("<<<<<<< SEARCH\na\n=======\nb\n", ["block 1 has no line >>>>>>> REPLACE", "cut off"]),
        ("<<<<<<< SEARCH\na\n=======\nb\n" + block(["a"], ["b"]), ["block 1 has no line >>>>>>> REPLACE"]),
    ],
)
def test_a_block_that_does_not_apply_is_named_with_what_it_searched_and_the_nearest_place(answer, words):
    reason = refused(PROGRAM, answer)
    assert "\n" not in reason
    assert [word for word in words if word not in reason] == []


def test_only_some_of_many_places_are_named():
    assert "at lines 1, 2, 3, 4, 5, …" in refused("a\n" * 9, block(["a"], ["b"]))


def test_the_nearest_place_in_a_large_program_is_found_soon():
    program = "".join(f"line number {number} of the program, which is long\n" for number in range(20_000))
    assert "nearest line" in refused(program, block(["line number 77 of a program, which is long"], ["x"]))
    assert "no line" in refused("x" * 1_000_000, block(["y" * 1000], ["x"]))


# -- several files ----------------------------------------------------------------------------------------------------

FILES = {"a.py": "one\ntwo\n", "b.py": "two\nthree\n"}


@pytest.mark.parametrize("named", ["### b.py\n", "**b.py**\n", "### `b.py`\n\n```python\n", "```python b.py\n"])
def test_the_file_is_the_one_named_last(named):
    answer = f"### a.py\n\nNot this one.\n\n{named}{block(['two'], ['2'])}"
    assert apply_edits(FILES, read_edits(answer, FILES)) == {**FILES, "b.py": "2\nthree\n"}


def test_a_file_holds_for_all_blocks_below_it():
    answer = block(["two"], ["2"], path="b.py") + block(["three"], ["3"])
    assert apply_edits(FILES, read_edits(answer))["b.py"] == "2\n3\n"


def test_without_a_path_it_is_the_only_file_that_holds_the_lines():
    assert apply_edits(FILES, read_edits(block(["three"], ["3"])))["b.py"] == "two\n3\n"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (block(["two"], ["2"]), "does not say which file"),
        (block(["two"], ["2"], path="c.py"), r"block 1 \(c.py\) names a file that the program has not; .*a.py, b.py"),
        (block(["two"], ["2"], path="../b.py"), "'../b.py' is not one inside"),
        (block([], ["2"], path="c.py"), "names a file that the program has not"),
    ],
)
def test_a_block_that_names_no_file_of_the_program_is_refused(answer, words):
    with pytest.raises(CandidateRejected, match=words):
        apply_edits(FILES, read_edits(answer))


def test_a_block_that_searches_nothing_makes_a_new_file_where_that_is_allowed():
    edits = read_edits(block([], ["new"], path="lib/c.py"))
    assert apply_edits(FILES, edits, new_files=True) == {**FILES, "lib/c.py": "new\n"}


def test_the_only_file_is_meant_whatever_it_is_called():
    assert apply_edits({"main": "a\n"}, read_edits(block(["a"], ["b"], path="solution.py"))) == {"main": "b\n"}
