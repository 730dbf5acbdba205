from hypothesis import given
from hypothesis import strategies as st

from evograft_env_setup.sandbox.output import CUT, Output

MOST = 10
pieces = st.lists(st.binary(max_size=4 * MOST), max_size=20)


def taken_in(parts, most=MOST):
    output = Output(most)
    for part in parts:
        output.add(part)
    return output


def two_ends(printed):
    if len(printed) <= 2 * MOST:
        return printed
    return printed[:MOST] + CUT % (len(printed) - 2 * MOST) + printed[-MOST:]


@given(parts=pieces)
def test_both_ends_are_kept_and_what_lacks_between_them_is_counted(parts):
    assert taken_in(parts).text() == two_ends(b"".join(parts)).decode(errors="replace")


@given(parts=pieces, more=pieces)
def test_one_may_look_while_there_is_more_to_come(parts, more):
    output = taken_in(parts)
    assert output.text() == output.text()
    for part in more:
        output.add(part)
    assert output.text() == taken_in(parts + more).text()


@given(parts=pieces)
def test_what_is_held_stays_within_bounds(parts):
    output = Output(MOST)
    for part in parts:
        output.add(part)
        assert len(output._head) + len(output._tail) <= 3 * MOST


def test_output_that_fits_is_whole():
    assert taken_in([b"a" * MOST, b"b" * MOST]).text() == "a" * MOST + "b" * MOST


def test_one_byte_too_many_is_left_out():
    assert taken_in([b"a" * MOST + b"x" + b"b" * MOST]).text() == "aaaaaaaaaa\n[... 1 bytes left out ...]\nbbbbbbbbbb"


def test_a_character_that_comes_in_two_pieces_is_whole():
    assert taken_in(["あ".encode()[:1], "あ".encode()[1:]]).text() == "あ"


def test_what_is_no_text_is_replaced():
    assert taken_in([b"a\xffb"]).text() == "a\N{REPLACEMENT CHARACTER}b"
