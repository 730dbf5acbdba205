"""Byte order marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.text.byte_order_mark import find_mark

ENCODINGS = ("utf-8", "utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be", "gb18030")


# UTF-16 whose first character is NUL can't be told from UTF-32.
@given(text=st.text().filter(lambda text: not text.startswith("\0")), encoding=st.sampled_from(ENCODINGS))
def test_a_marked_text_says_its_encoding_and_comes_back_without_the_mark(text, encoding):
    found = find_mark(f"\ufeff{text}".encode(encoding))
    assert found.encoding == encoding
    assert found.data.decode(encoding) == text


@pytest.mark.parametrize("data", [b"", b"\xef\xbb", b"\xff", b"plain", b" \xef\xbb\xbf"])
def test_what_begins_otherwise_has_no_mark(data):
    assert find_mark(data) is None
