import os
import threading

import pytest

from evograft.files import write_atomically


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "folder" / "page.html"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert [each.name for each in path.parent.iterdir()] == ["page.html"]


def test_a_file_that_is_not_to_be_replaced_stays_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "page.html"
    write_atomically(path, b"old", replacing=False)
    with pytest.raises(FileExistsError):
        write_atomically(path, b"new", replacing=False)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_a_link_with_the_name_of_the_temporary_file_is_not_followed(tmp_path):
    victim, path = tmp_path / "victim", tmp_path / "page.html"
    victim.write_bytes(b"mine")
    (tmp_path / f".page.html.{os.getpid()}.new").symlink_to(victim)
    write_atomically(path, b"new")
    assert (victim.read_bytes(), path.read_bytes()) == (b"mine", b"new")
    assert not path.is_symlink()


def test_a_pipe_takes_the_content_and_stays_a_pipe(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"text")
    reader.join()
    assert read == [b"text"]
    assert pipe.is_fifo()
