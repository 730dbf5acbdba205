"""What a test leaves in a folder."""

import pytest

from evograft_ahc.records.printed_files import PrintedFiles


class Drawing:
    """A visualiser that counts what it is asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, case, output):
        self.asked.append(case)
        return b"<svg/>" if output else None


@pytest.fixture
def draw():
    return Drawing()


@pytest.fixture
def files(tmp_path, draw):
    return PrintedFiles(tmp_path / "out" / "main.cpp", draw)


def content(files):
    return {path.name: path.read_bytes() for path in files.folder.iterdir()}


def test_output_error_and_picture_are_files_of_the_case(files):
    files.write("0007", b"3 1\n", b"moves=9\n")
    assert content(files) == {"0007.out": b"3 1\n", "0007.err": b"moves=9\n", "0007.svg": b"<svg/>"}


def test_the_same_output_is_not_drawn_twice(files, draw):
    for output in (b"1", b"1", b"2"):
        files.write("0000", output, b"")
    assert draw.asked == ["0000", "0000"]


def test_no_picture_of_an_earlier_output_stays(files):
    files.write("0000", b"1", b"")
    files.write("0000", b"", b"crashed")
    assert content(files) == {"0000.out": b"", "0000.err": b"crashed"}


def test_what_is_not_kept_of_a_case_leaves_nothing_of_an_earlier_program(files):
    files.write("0000", b"1", b"")
    files.remove("0000")
    files.remove("0001")
    assert (content(files), files.count_pictures()) == ({}, 0)


def test_what_an_earlier_test_left_of_other_cases_is_not_counted_as_written(files, draw):
    for case in ("0000", "0001", "0002"):
        files.write(case, b"old", b"")
    again = PrintedFiles(files.folder, draw)
    again.write("0001", b"new", b"")
    assert (again.count_written(), again.count_pictures(), again.count_earlier()) == (1, 1, 2)
