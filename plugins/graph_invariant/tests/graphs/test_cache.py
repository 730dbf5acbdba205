from __future__ import annotations

import os

import numpy as np
import pytest

from evograft_graph_invariant.graphs.cache import load_or_build
from evograft_graph_invariant.graphs.datasets import load_set, make_random_set


@pytest.fixture
def counted():
    """A builder, and how often it was asked."""
    calls = []

    def build():
        calls.append(1)
        return {"a": np.arange(5.0), "b": np.array([1, 2])}

    return build, calls


def ask(build, folder, members=("a", "b")):
    return load_or_build("key", members, build, folder=folder)


def test_a_second_question_is_answered_from_the_file(tmp_path, counted):
    build, calls = counted
    first, second = ask(build, tmp_path), ask(build, tmp_path)
    assert len(calls) == 1
    assert all(np.array_equal(first[name], second[name]) for name in "ab")


def test_only_the_named_members_are_returned(tmp_path, counted):
    build, _ = counted
    assert set(ask(build, tmp_path, ("a",))) == set(ask(build, tmp_path, ("a",))) == {"a"}


@pytest.mark.parametrize("damage", ["truncated", "emptied", "flipped", "other arrays", "text"])
def test_a_damaged_file_is_built_again(tmp_path, counted, damage):
    build, calls = counted
    expected = ask(build, tmp_path)
    path = tmp_path / "key.npz"
    data = path.read_bytes()
    if damage == "other arrays":
        np.savez(path, a=np.arange(4.0), b=np.array([1, 2]), digests=np.load(path)["digests"])
    elif damage == "flipped":
        place = data.index(np.arange(5.0).tobytes())
        path.write_bytes(data[:place] + b"\xff" + data[place + 1 :])
    else:
        path.write_bytes({"truncated": data[: len(data) // 2], "emptied": b"", "text": b"no archive"}[damage])
    found = ask(build, tmp_path)
    assert len(calls) == 2
    assert all(np.array_equal(found[name], expected[name]) for name in "ab")
    ask(build, tmp_path)
    assert len(calls) == 2


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path, counted):
    build, _ = counted
    file = tmp_path / "file"
    file.write_text("")
    assert np.array_equal(ask(build, file / "below")["a"], np.arange(5.0))


def test_the_oldest_files_make_room(tmp_path, counted, monkeypatch):
    build, _ = counted
    monkeypatch.setattr("evograft_graph_invariant.graphs.cache.MAX_BYTES", 2000)
    for i in range(4):
        load_or_build(f"key{i}", ("a",), build, folder=tmp_path)
        os.utime(tmp_path / f"key{i}.npz", (i, i))
    load_or_build("last", ("a",), build, folder=tmp_path)
    left = {path.stem for path in tmp_path.glob("*.npz")}
    assert "last" in left
    assert "key0" not in left


def test_a_cached_set_equals_a_built_one(tmp_path):
    spec = make_random_set("train", 5, (30, 40))
    built, stored, read = (load_set(spec, 1, folder=folder) for folder in (None, tmp_path, tmp_path))
    for other in (stored, read):
        assert (other.sizes, other.kinds, other.drawn) == (built.sizes, built.kinds, built.drawn)
        assert all(np.array_equal(other.columns[name], built.columns[name]) for name in built.columns)
        assert all(np.array_equal(a, b) for a, b in zip(other.edges, built.edges, strict=True))
