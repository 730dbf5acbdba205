"""Fingerprints of candidates: several files, kinds, and texts that are no programs."""

import pytest

from evograft_novelty import fingerprint, normalise_tokens, split_tokens

PYTHON = "def f(a): return a  # it\n"
SAME_PYTHON = "def f(x):\n    return x\n"


def test_a_fingerprint_is_32_hexadecimal_digits():
    assert set(fingerprint({"main": PYTHON}, "k", "python")) <= set("0123456789abcdef")
    assert len(fingerprint({}, "k", "python")) == 32


def test_the_order_of_files_does_not_count():
    files = {"a.py": PYTHON, "b.py": "x = 1\n"}
    assert fingerprint(files, "k", "python") == fingerprint(dict(reversed(files.items())), "k", "python")


def test_the_kind_and_the_paths_count():
    prints = [
        fingerprint({"main": PYTHON}, "k", "python"),
        fingerprint({"main": PYTHON}, "l", "python"),
        fingerprint({"other": PYTHON}, "k", "python"),
        fingerprint({"main": PYTHON, "empty": ""}, "k", "python"),
    ]
    assert len(set(prints)) == 4


def test_what_stands_in_which_file_counts():
    one = fingerprint({"a": "x = 1\n", "b": "y = 1\n"}, "k", "python")
    assert one != fingerprint({"a": "x = 1\ny = 1\n", "b": ""}, "k", "python")


def test_a_suffix_tells_the_language_of_a_file():
    cpp, same_cpp = "int f(int a) { return a; }", "int f(int b) { return b; } // it"
    files = {"f.cpp": cpp, "g.py": PYTHON, "notes.txt": "a  note\n"}
    same = {"f.cpp": same_cpp, "g.py": SAME_PYTHON, "notes.txt": "a note\n"}
    assert fingerprint(files, "k", "python") == fingerprint(same, "k", "python")
    assert fingerprint(files, "k", "python") != fingerprint({**same, "notes.txt": "a # note\n"}, "k", "python")


def test_the_tokens_of_a_candidate_are_those_of_its_files_each_in_its_language():
    files = {"b.cpp": "int f(int a) { return a; }", "a.py": PYTHON, "c": "x = 1"}
    parts = ((PYTHON, "python"), (files["b.cpp"], "cpp"), ("x = 1", "python"))
    assert split_tokens(files, "python") == sum((normalise_tokens(*part) for part in parts), ())
    assert split_tokens({"a.py": PYTHON}, "") == normalise_tokens(PYTHON, "")


def test_without_a_language_only_white_space_is_normalised():
    assert fingerprint({"f.py": PYTHON}, "k", "") != fingerprint({"f.py": SAME_PYTHON}, "k", "")
    assert fingerprint({"f.py": "a  b\r\n\n"}, "k", "") == fingerprint({"f.py": "a b\n"}, "k", "")


@pytest.mark.parametrize("language", ["", "haskell", "Python"])
def test_in_other_languages_lines_and_changes_of_indentation_count(language):
    assert normalise_tokens("a b\n  c\nd", language) == (
        "a",
        "b",
        "<newline>",
        "<indent>",
        "c",
        "<newline>",
        "<dedent>",
        "d",
        "<newline>",
    )
    assert normalise_tokens("a\n    b\n    -- c", language) == normalise_tokens("a\n\tb\n\t--  c\n", language)
    assert normalise_tokens("a\nb", language) != normalise_tokens("a b", language)
    assert normalise_tokens("a\n b\n  c", language) != normalise_tokens("a\n b\n c", language)


@pytest.mark.parametrize("language", ["python", "cpp"])
def test_text_that_no_grammar_should_be_asked_about_is_taken_as_text(language):
    assert normalise_tokens("a = 1\0b", language) == normalise_tokens("a = 1\0b", "")
    long = "x = 1\n" * 50_000
    assert normalise_tokens(long, language) == normalise_tokens(long, "")


@pytest.mark.parametrize("language", ["python", "cpp", ""])
@pytest.mark.parametrize("source", ["", "\n\n", "   ", "\ufeff", "\r\n"])
def test_of_nothing_there_are_no_tokens(source, language):
    assert normalise_tokens(source, language) == ()


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", "(" * 50_000 + "1" + ")" * 50_000),
        ("python", "f(" * 50_000),
        ("python", "x = " + "lambda a: " * 20_000 + "a"),
        ("python", "x" + ".a" * 50_000),
        ("cpp", "int x = " + "-" * 50_000 + "1;"),
        ("cpp", "int f() {" + "{" * 50_000 + "}" * 50_000 + "}"),
        ("cpp", "int f(int x) {" + "if (x) " * 20_000 + "x; }"),
        ("cpp", "int f(int x) {" + "for (;;) {" * 10_000 + "g(x);" + "}" * 10_000 + "}"),
        ("cpp", "a<" * 20_000),
    ],
    ids=lambda value: value[:24],
)
def test_however_deep_a_program_is_nested_it_has_tokens(language, source):
    assert normalise_tokens(source, language)


def test_lone_surrogates_and_other_scripts_are_text():
    assert normalise_tokens("x = '\ud800'\n", "python")
    assert normalise_tokens("変数 = '値'  # 註\n", "python") == ("変数", "=", '"値', "<newline>")
