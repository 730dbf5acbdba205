"""Values of the worker: what JSON cannot hold comes back, and what the worker does not write is refused."""

import json
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_program.answers.decoding import MetricsAndArtifacts, OpaqueObject, decode
from evograft_program.evaluation.messages import read_messages
from evograft_program.worker.channel import HEADER

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["$", "v"]), inner),
    max_leaves=30,
)
TAGGED = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(), inner)
        | st.builds(
            lambda tag, value: {"$": tag, "v": value},
            st.sampled_from(["float", "bytes", "repr", "result", "tuple", "dict", "other"]),
            inner | st.sampled_from(["nan", "AA==", []]),
        )
    ),
    max_leaves=30,
)


def read_value(data: bytes):
    """Returns the value of a message of the worker."""
    body = b'token{"type": "value", "value": %b}' % data
    (message,) = read_messages(HEADER.pack(len(body)) + body, "token")
    return message.value


@pytest.mark.parametrize(
    ("encoded", "value"),
    [
        ({"a": [1, 2.5, None, True, "x"]}, {"a": [1, 2.5, None, True, "x"]}),
        ({"$": "float", "v": "-inf"}, -math.inf),
        ({"$": "bytes", "v": "AP8="}, b"\x00\xff"),
        ({"$": "repr", "v": "<object>"}, OpaqueObject("<object>")),
        ({"$": "tuple", "v": [1, [2]]}, (1, [2])),
        ({"$": "dict", "v": [["$", 1], [{"$": "tuple", "v": [1, 2]}, 2]]}, {"$": 1, (1, 2): 2}),
        (
            {"$": "result", "v": {"metrics": {"a": 1}, "artifacts": {"b": {"$": "bytes", "v": ""}}}},
            MetricsAndArtifacts({"a": 1}, {"b": b""}),
        ),
        (
            {"$": "result", "v": {"metrics": [1], "artifacts": None}},
            MetricsAndArtifacts({"not a dict": [1]}, {}),
        ),
    ],
)
def test_what_json_cannot_hold_comes_back(encoded, value):
    assert read_value(json.dumps(encoded).encode()) == value


def test_a_number_that_is_none_comes_back_as_one():
    assert math.isnan(decode({"$": "float", "v": "nan"}))


@pytest.mark.parametrize(
    "encoded",
    [
        {"$": "nobody", "v": 1},
        {"$": "float"},
        {"$": "float", "v": "1"},
        {"$": "float", "v": "nan", "more": 1},
        {"$": ["float"], "v": "nan"},
        {"$": "bytes", "v": "?"},
        {"$": "tuple", "v": 1},
        {"$": "dict", "v": [[1]]},
        {"$": "dict", "v": [[[1], 2]]},
        {"$": "dict", "v": [[{"$": "tuple", "v": [[1]]}, 2]]},
        {"$": "result", "v": {"metrics": {}}},
    ],
)
def test_what_the_worker_does_not_write_is_refused(encoded):
    with pytest.raises(ValueError, match=r"."):
        decode(encoded)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[" * 62 + b"]" * 62, b"9" * 5_000])
def test_a_message_that_is_not_json_or_too_deep_is_refused(data):
    with pytest.raises(ValueError, match=r"."):
        read_value(data)


@given(JSON | TAGGED)
def test_any_json_is_decoded_or_refused(value):
    with suppress(ValueError):
        read_value(json.dumps(value).encode())
