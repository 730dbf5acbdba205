"""The two formats that are read from processes that nobody trusts."""

from __future__ import annotations

import array
import json
import math
import os
import socket
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_sandbox.functions.channel import HEADER, ChannelLost, WorkerChannel
from evograft_sandbox.functions.frame import MAX_TRAILER, FrameBroken, max_frame, one_line, pack_frame, unpack_frame
from evograft_sandbox.functions.limits import FunctionLimits
from evograft_sandbox.functions.report import CandidateReport, find_fault, read_report

TOKEN = bytes(range(16))
VALUES = array.array("d", [1.5, math.nan, -2.0])
FRAME = pack_frame(TOKEN, VALUES, "", [(1, "returned nan")])


def test_a_frame_comes_back_as_it_was_written():
    frame = unpack_frame(FRAME, token=TOKEN, items=3)
    assert (frame.values[0], frame.values[2]) == (1.5, -2.0)
    assert math.isnan(frame.values[1])
    assert (frame.error, frame.item_errors) == ("", ((1, "returned nan"),))


@given(st.floats(), st.text(), st.lists(st.tuples(st.integers(0, 10), st.text()), max_size=3))
def test_every_frame_is_within_its_bound(value, error, item_errors):
    frame = pack_frame(TOKEN, array.array("d", [value] * 9), error, item_errors)
    assert len(frame) <= max_frame(9)


@given(st.binary(max_size=200))
def test_no_bytes_do_anything_but_fail(data):
    for candidate in (data, TOKEN + data, FRAME + data[:50] + b"x", FRAME[: len(data)]):
        with pytest.raises(FrameBroken):
            unpack_frame(candidate, token=TOKEN, items=3)


@pytest.mark.parametrize(
    "trailer",
    [
        *("", "[", "{}", "null", "[1, []]", '["", 3]', '["", [[0]]]', '["", [["0", "x"]]]'),
        *('["", [[-1, "x"]]]', '["", [[true, "x"]]]', '["", [[0, null]]]', "[" * 5000, "9" * 5000),
    ],
)
def test_a_trailer_of_another_shape_is_refused(trailer):
    frame = pack_frame(TOKEN, VALUES)
    start = len(frame) - len('["", []]')
    forged = frame[:20] + len(trailer).to_bytes(4, "little") + frame[24:start] + trailer.encode()
    with pytest.raises(FrameBroken):
        unpack_frame(forged, token=TOKEN, items=3)


def test_another_token_or_number_of_items_is_refused():
    for token, items in ((bytes(16), 3), (TOKEN, 2), (TOKEN, 4)):
        with pytest.raises(FrameBroken):
            unpack_frame(FRAME, token=token, items=items)


def test_a_forged_value_that_is_not_finite_counts_as_failed():
    forged = pack_frame(TOKEN, array.array("d", [math.inf, 1.0]), "", [(1, "did not fail"), (7, "is not there")])
    result = find_fault(CandidateReport("exit", 0, 0.1, forged), token=TOKEN, items=2, limits=FunctionLimits())
    assert math.isnan(result.values[0])
    assert (result.failed_items, result.item_errors) == (1, ())


def test_longest_texts_fit_the_trailer():
    longest = "\u2028\U0001f600\x00" * 10_000
    frame = pack_frame(TOKEN, array.array("d"), longest, [(10**9, longest)] * 3)
    assert len(frame) <= max_frame(0)
    assert len(json.dumps(one_line(longest))) * 4 < MAX_TRAILER


@pytest.mark.parametrize(
    "head",
    [
        {},
        {"ending": "exit", "status": True, "cpu_seconds": 1.0},
        {"ending": "exit", "status": 10**99, "cpu_seconds": 1.0},
        {"ending": 1, "status": 0, "cpu_seconds": 1.0},
    ]
    + [{"ending": "exit", "status": 0, "cpu_seconds": bad} for bad in (-1.0, math.inf, math.nan, "1", None)],
)
def test_a_report_with_wrong_types_is_refused(head):
    with pytest.raises(ChannelLost):
        read_report(head, b"")


@pytest.fixture
def pair():
    here, there = socket.socketpair()
    with here, there:
        yield WorkerChannel(here.fileno()), there


def soon() -> float:
    return time.monotonic() + 20


def test_a_message_arrives_whole(pair):
    channel, there = pair
    there.sendall(HEADER.pack(9) + b'{"a": 1}\n')
    assert channel.receive_json(100, deadline=soon()) == {"a": 1}


@pytest.mark.parametrize(
    "data", [HEADER.pack(101), HEADER.pack(2) + b"[]", HEADER.pack(3) + b"\xff\xfe{", HEADER.pack(90) + b"[" * 90]
)
def test_what_is_no_message_ends_the_line(pair, data):
    channel, there = pair
    there.sendall(data)
    with pytest.raises(ChannelLost):
        channel.receive_json(100, deadline=soon())


def test_a_silent_side_ends_the_line(pair):
    channel, _ = pair
    with pytest.raises(ChannelLost, match="in time"):
        channel.receive(100, deadline=time.monotonic())


def test_a_side_that_does_not_read_ends_the_line(pair):
    channel, _ = pair
    with pytest.raises(ChannelLost, match="in time"):
        channel.send(bytes(1 << 24), deadline=time.monotonic() + 0.05)


def test_a_closed_side_ends_the_line(pair):
    channel, there = pair
    there.close()
    with pytest.raises(ChannelLost):
        channel.receive(100)
    with pytest.raises(ChannelLost):
        channel.send(b"x")


def test_a_watched_descriptor_ends_the_wait(pair):
    channel, _ = pair
    read_fd, write_fd = os.pipe()
    os.close(write_fd)
    with pytest.raises(ChannelLost, match="gone"):
        WorkerChannel(channel.fd, watch=(read_fd,)).receive(100)
    os.close(read_fd)
