"""A log in several files comes out the same however often it is written, and whatever was there before."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_ahc.records.rotation import ExportedLog

entries = st.lists(
    st.tuples(st.text(st.characters(codec="utf-8"), max_size=40).map(lambda text: f"{text}\n"), st.integers(0, 50)),
    max_size=30,
)


def write(folder, put, *, max_bytes=100, max_seconds=120.0):
    log = ExportedLog(Path(folder) / "a.log", max_bytes=max_bytes, max_seconds=max_seconds)
    at = 0.0
    for text, later in put:
        at += later
        log.put(text, at=at)
    log.close()


def files_in(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def in_order(files):
    """Older ones first."""
    older = sorted((name for name in files if name != "a.log"), key=lambda name: int(name.rpartition(".")[2]))
    return [files[name] for name in (*older, *(["a.log"] if "a.log" in files else []))]


@given(entries)
@settings(max_examples=60)
def test_all_entries_are_there_in_order_and_no_file_is_too_long(put):
    with TemporaryDirectory() as folder:
        write(folder, put)
        parts = in_order(files_in(folder))
    assert b"".join(parts) == b"".join(text.encode() for text, _ in put)
    longest = max((len(text.encode()) for text, _ in put), default=0)
    assert all(len(part) <= max(100, longest) for part in parts)


@given(entries, st.integers(0, 30), st.binary(max_size=30), st.data())
@settings(max_examples=60)
def test_a_second_pass_mends_what_was_cut_torn_or_lost(put, cut, torn, data):
    with TemporaryDirectory() as folder, TemporaryDirectory() as whole:
        write(whole, put)
        write(folder, put[:cut])
        names = sorted(files_in(folder))
        if names:
            victim = Path(folder) / data.draw(st.sampled_from(names))
            kept = victim.read_bytes()
            victim.write_bytes(kept[: data.draw(st.integers(0, len(kept)))] + torn)
        write(folder, put)
        assert files_in(folder) == files_in(whole)


@given(entries, st.integers(20, 300))
@settings(max_examples=40)
def test_other_limits_leave_no_file_of_the_former_ones(put, max_bytes):
    with TemporaryDirectory() as folder, TemporaryDirectory() as whole:
        write(folder, put)
        write(folder, put, max_bytes=max_bytes)
        write(whole, put, max_bytes=max_bytes)
        assert files_in(folder) == files_in(whole)


def test_an_old_file_is_put_aside(tmp_path):
    write(tmp_path, [("a\n", 0), ("b\n", 100), ("c\n", 100)])
    assert files_in(tmp_path) == {"a.log.1": b"a\nb\n", "a.log": b"c\n"}
