"""Sketches: the same wherever fingerprints are, and another wherever a program was changed as models change it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_novelty import fingerprint
from evograft_novelty.fingerprints import LONGEST
from evograft_novelty.sketch import sketch

PYTHON = "def f(xs, k=3):\n    for x in xs:\n        k += x.size * 0.5  # half\n    return [k - 1]\n"
CPP = "int f(const V& xs, int k = 3) { for (auto& x : xs) k += x.size * 0.5; return a[k - 1]; }"
PIECES = [
    "x", "y", "f", "inf", "1", "1_0", "10", "0.5", ".5", "1_.5", "1.5_j", "1e999", "0x_f", "0XF", "1'0", "2j",
    "+", "-", "*", "<", "=", "==", "+=", ".", ",", ";", ":", "(", ")", "[", "]", "{", "}",
    "'a'", '"a"', "'", '"""', "f'{", "f'{x:{1+2}}'", "# 1 +", "// 1 +", "/*", "*/", "\\\n", "\n", "\n    ", "\n\t", "\r\n",
    "def f(x):", "for x in y:", "if x:", "elif y:", "else:", "pass", "return", "lambda x:", "and", "not", "print", "import",
    "int", "auto", "if (x)", "else", "for (;;)", "#define A 1 + 2\n", "#if 1\n", "#endif\n", "decltype", "'''doc'''", "é",
]  # fmt: skip
BLANKS = [" ", "  ", "\n", " # 2 + a.b\n", " // 2 + a.b\n", "", "\n\n"]


def sketch_of(source, language):
    return sketch({"main": source}, "k", language)


def fingerprint_of(source, language):
    return fingerprint({"main": source}, "k", language)


@given(st.lists(st.tuples(st.sampled_from(PIECES), *[st.sampled_from(BLANKS)] * 2), max_size=12))
@pytest.mark.parametrize("language", ["python", "cpp", "haskell"])
def test_texts_of_one_fingerprint_have_one_sketch_programs_or_not(language, parts):
    one, other = ("".join(part[0] + part[blank] for part in parts) for blank in (1, 2))
    if fingerprint_of(one, language) == fingerprint_of(other, language):
        assert sketch_of(one, language) == sketch_of(other, language)


@pytest.mark.parametrize(
    ("before", "after"),
    [("3", "4"), ("0.5", "0.25"), ("- 1", "+ 1"), (".size", ""), ("+=", "="), ("x.size * ", "")],
)
@pytest.mark.parametrize(("source", "language"), [(PYTHON, "python"), (CPP, "cpp")])
def test_another_number_or_operator_makes_another_sketch(source, language, before, after):
    changed = source.replace(before, after)
    assert changed != source
    assert sketch_of(changed, language) != sketch_of(source, language)


def test_a_number_that_is_too_large_is_a_name_to_a_fingerprint_so_it_is_in_no_sketch():
    assert fingerprint_of("x = 1e999\n", "python") == fingerprint_of("x = inf\n", "python")
    assert sketch_of("x = 1e999\n", "python") == sketch_of("x = inf\n", "python")


@pytest.mark.parametrize("number", ["1_.5", "1.5_", "1e5_", "1_e5", "1.5_j", "1.1__0"])
def test_a_number_that_only_the_grammar_takes_for_one_is_no_other_number(number):
    sound = f"x = {number.replace('_', '')}\n"
    assert fingerprint_of(f"x = {number}\n", "python") != fingerprint_of(sound, "python")
    assert sketch_of(f"x = {number}\n", "python") == sketch_of(f"x  =  {number}\n", "python")


def test_a_text_that_is_too_long_to_be_read_as_a_program_may_be_like_any_other_so_it_has_no_sketch():
    padded = "x = 1\n" + "\n" * LONGEST
    assert fingerprint_of(padded, "python") == fingerprint_of("x = 1\n", "python")
    assert sketch_of(padded, "python") == ""
    assert sketch({"main": PYTHON, "table.txt": padded}, "k", "python") == ""


def test_a_tree_that_may_be_too_deep_to_be_searched_has_no_sketch():
    assert sketch_of("x" + ".a" * 100_000 + "\n", "python") == ""


def test_of_what_is_no_program_nothing_is_kept():
    assert sketch_of("x = = 1\n", "python") == sketch_of("y = = 2\n", "python") != sketch_of("y = 2\n", "python")
    assert sketch_of("x\0 = 1\n", "python") == sketch_of("x\0 = 2\n", "python")


def test_the_kind_and_the_paths_count_and_the_order_of_files_does_not():
    files = {"a.py": PYTHON, "b.cpp": CPP, "notes.txt": "1 + 2"}
    one = sketch(files, "k", "python")
    assert len(one) == 16
    assert one == sketch(dict(reversed(files.items())), "k", "python")
    others = [sketch(files, "l", "python"), sketch({**files, "c.py": ""}, "k", "python"), sketch(files, "k", "")]
    assert len({one, *others}) == 4


@pytest.mark.parametrize("language", ["python", "cpp"])
@pytest.mark.parametrize("source", ["(" * 20_000 + "1" + ")" * 20_000 + ";", "x" + ".a" * 20_000 + ";", "x[" * 50_000])
def test_however_deep_a_program_is_nested_it_has_a_sketch(source, language):
    assert sketch_of(source, language)


def test_sketches_are_the_same_in_every_process(printed_under_hash_seeds):
    code = f"from evograft_novelty.sketch import sketch\nprint(sketch({{'a.py': {PYTHON!r}, 'b.cpp': {CPP!r}}}, 'k', 'python'))"
    assert set(printed_under_hash_seeds(code)) == {sketch({"a.py": PYTHON, "b.cpp": CPP}, "k", "python") + "\n"}
