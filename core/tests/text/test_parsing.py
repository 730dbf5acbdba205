"""Hostile texts are given up after an amount of work, and others are parsed."""

import pytest
import tree_sitter_c
import tree_sitter_python
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Language, Parser

from evograft.text.parsing import CHUNK, ParserStuck, parse_text

C = Parser(Language(tree_sitter_c.language()))
PYTHON = Parser(Language(tree_sitter_python.language()))


@pytest.mark.parametrize("around", ["{}", "int x;\n{}\n", "/* */ {}"])
def test_a_text_that_the_grammar_never_ends_with_is_given_up(around):
    endless = around.format('""|>!""(%w(=n}')
    with pytest.raises(ParserStuck):
        parse_text(C, endless.encode())
    assert not parse_text(C, b"int x = 3;").root_node.has_error, "the parser begins anew"


@given(st.lists(st.sampled_from(["x = 1", "f(é)", "if a:", "    return b", "", '"""']), max_size=400))
def test_a_tree_and_its_texts_are_the_same_as_without_a_bound(lines):
    source = "\n".join(lines).encode()
    bounded, plain = (tree.root_node for tree in (parse_text(PYTHON, source), PYTHON.parse(source)))
    assert str(bounded) == str(plain)
    assert bounded.text == plain.text


def test_a_text_longer_than_a_piece_is_whole():
    source = b"x = 1\n" * CHUNK
    root = parse_text(PYTHON, source).root_node
    assert (root.child_count, root.end_byte) == (CHUNK, len(source))
