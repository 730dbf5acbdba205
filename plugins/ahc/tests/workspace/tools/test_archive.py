"""Hostile archives: whatever is in one, nothing leaves its folder, and a refused one leaves nothing behind."""

import stat
import struct
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.workspace.tools import archive
from evograft_ahc.workspace.tools.archive import unpack_archive


def packed(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for entry, content in entries:
            file.writestr(entry, content)
    return path


def special(name, kind, content=b""):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (kind | 0o644) << 16
    return entry, content


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_only_top_folder_is_left_out(tmp_path):
    zipped = packed(tmp_path / "a.zip", [("tools/", b""), ("tools/seeds.txt", b"1\n"), ("tools/src/bin/gen.rs", b"fn")])
    unpack_archive(zipped, tmp_path / "tools")
    assert files_in(tmp_path / "tools") == {"seeds.txt": b"1\n", "src/bin/gen.rs": b"fn"}


def test_an_archive_without_one_is_unpacked_as_it_is(tmp_path):
    unpack_archive(packed(tmp_path / "a.zip", [("seeds.txt", b"1\n"), ("src/gen.cpp", b"")]), tmp_path / "tools")
    assert set(files_in(tmp_path / "tools")) == {"seeds.txt", "src/gen.cpp"}


def test_what_the_packers_system_left_is_dropped(tmp_path):
    entries = [("tools/a", b""), ("__MACOSX/tools/._a", b""), ("tools/.DS_Store", b""), ("tools/.git/config", b"")]
    unpack_archive(packed(tmp_path / "a.zip", entries), tmp_path / "tools")
    assert set(files_in(tmp_path / "tools")) == {"a"}


@pytest.mark.parametrize(
    "entry",
    [
        ("../evil", b"x"),
        ("tools/../../evil", b"x"),
        ("/etc/evil", b"x"),
        ("tools\\..\\evil", b"x"),
        ("C:/evil", b"x"),
        ("a\nb", b"x"),
        ("a" * 300, b"x"),
        special("link", stat.S_IFLNK, b"/etc/passwd"),
        special("pipe", stat.S_IFIFO),
        special("device", stat.S_IFCHR),
    ],
)
def test_an_entry_that_could_do_harm_refuses_the_whole(tmp_path, entry):
    zipped = packed(tmp_path / "a.zip", [("good", b"1"), entry])
    with pytest.raises(ContestUserError, match="is not unpacked: it holds") as caught:
        unpack_archive(zipped, tmp_path / "in" / "tools")
    assert "展開しません" in caught.value.in_language("ja")
    assert list((tmp_path / "in").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip", "in"}


def test_an_archive_with_one_name_twice_is_refused(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        zipped = packed(tmp_path / "a.zip", [("a", b"1"), ("a", b"2")])
    with pytest.raises(ContestUserError, match="can't be read"):
        unpack_archive(zipped, tmp_path / "tools")


def test_a_file_that_is_a_folder_as_well_is_refused(tmp_path):
    zipped = packed(tmp_path / "a.zip", [("a", b"1"), ("a/b", b"2")])
    with pytest.raises(ContestUserError, match="can't be read"):
        unpack_archive(zipped, tmp_path / "tools")


def test_a_bomb_is_noticed_by_what_comes_out(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_BYTES", 1 << 20)
    zipped = packed(tmp_path / "a.zip", [(f"zeros{number}", b"\0" * 400_000) for number in range(3)])
    assert zipped.stat().st_size < 10_000
    with pytest.raises(ContestUserError, match="it unpacks to more than 1 MB"):
        unpack_archive(zipped, tmp_path / "tools")
    assert not (tmp_path / "tools").exists()


def test_a_bomb_that_lies_about_its_size_is_noticed_too(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_BYTES", 1 << 20)
    zipped = packed(tmp_path / "a.zip", [("zeros", b"\0" * (4 << 20))])
    true_size, small = struct.pack("<L", 4 << 20), struct.pack("<L", 100)
    zipped.write_bytes(zipped.read_bytes().replace(true_size, small))
    with pytest.raises(ContestUserError):
        unpack_archive(zipped, tmp_path / "tools")
    assert not (tmp_path / "tools").exists()


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_FILES", 3)
    zipped = packed(tmp_path / "a.zip", [(str(number), b"") for number in range(4)])
    with pytest.raises(ContestUserError, match="more than 3 files"):
        unpack_archive(zipped, tmp_path / "tools")


def test_what_is_no_archive_is_told(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"<html>not found</html>")
    with pytest.raises(ContestUserError, match="File is not a zip file; give the official archive with: --tools ZIP"):
        unpack_archive(tmp_path / "a.zip", tmp_path / "tools")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 400), flip=st.integers(0, 400), bit=st.integers(0, 7))
def test_a_damaged_archive_is_refused_or_unpacked_within_its_folder(tmp_path_factory, cut, flip, bit):
    folder = tmp_path_factory.mktemp("damaged")
    zipped = packed(folder / "a.zip", [("tools/a", b"abc" * 20), ("tools/b/c", b"def" * 20)])
    content = bytearray(zipped.read_bytes())
    content[flip % len(content)] ^= 1 << bit
    zipped.write_bytes(content[: len(content) - cut % 3])
    try:
        unpack_archive(zipped, folder / "tools")
    except ContestUserError:
        assert not (folder / "tools").exists()
    assert {path.name for path in folder.iterdir()} <= {"a.zip", "tools"}
