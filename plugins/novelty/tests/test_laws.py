"""What holds for all programs."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from evograft_novelty import fingerprint, normalise_tokens, shingles, similarity

LANGUAGES = st.sampled_from(["python", "cpp", "haskell", ""])
SOUP = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "(",
                ")",
                "[",
                "]",
                "{",
                "}",
                "<",
                ">",
                ":",
                ";",
                ",",
                ".",
                "=",
                "+",
                "-",
                "*",
                "/",
                "'",
                '"',
                '"""',
                "#",
                "//",
                "/*",
                "*/",
                "\\",
                "\n",
                "\n\t",
                "\r\n",
                "\x00",
                "é",
                "λ",
                "def",
                "class",
                "if",
                "else",
                "for",
                "in",
                "return",
                "lambda",
                "x",
                "y",
                "int",
                "auto",
                "template",
                "match",
                "case",
                "f'{",
                "#define",
                "import",
                "as",
                "global",
                "\n\n",
            ]
        ),
        st.text(max_size=3),
    ),
    max_size=60,
).map(" ".join)


@given(SOUP, LANGUAGES)
def test_whatever_a_model_writes_has_a_fingerprint_always_the_same_one(text, language):
    assert normalise_tokens(text, language) == normalise_tokens(text, language)
    assert len(fingerprint({"main": text}, "k", language)) == 32


@given(st.text(), LANGUAGES)
def test_line_ends_and_a_byte_order_mark_never_count(text, language):
    text = text.replace("\r", "").lstrip("\ufeff")
    assert normalise_tokens(text, language) == normalise_tokens("\ufeff" + text.replace("\n", "\r\n"), language)


def test_fingerprints_are_the_same_in_every_process(printed_under_hash_seeds):
    program = "def f(a, b): return {a, b, 'c'}\n"
    code = (
        "from evograft_novelty import fingerprint, normalise_tokens, shingles\n"
        f"print(fingerprint({{'main': {program!r}}}, 'k', 'python'))\n"
        f"print(sorted(shingles(normalise_tokens({program!r}, 'python'))))\n"
    )
    here = fingerprint({"main": program}, "k", "python")
    assert printed_under_hash_seeds(code) == [f"{here}\n{sorted(shingles(normalise_tokens(program, 'python')))}\n"] * 3


@given(st.lists(st.sampled_from("abc"), max_size=20), st.lists(st.sampled_from("abc"), max_size=20))
def test_similarity_is_symmetric_between_0_and_1_and_1_for_equals(one, other):
    a, b = shingles(one), shingles(other)
    assert similarity(a, b) == similarity(b, a)
    assert 0 <= similarity(a, b) <= 1
    assert similarity(a, a) == 1


def test_no_grammar_is_loaded_before_a_program_is_looked_at():
    code = (
        "import sys, evograft_novelty\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'tree_sitter', 'tree_sitter_cpp', 'tenacity'}))\n"
        "evograft_novelty.fingerprint({'main': 'x = 1'}, 'k', 'python')\n"
        "print('tree_sitter_cpp' in sys.modules)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told == "[]\nFalse\n"
