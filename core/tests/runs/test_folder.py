"""What a start that was killed leaves in the folder of a run stands in nobody's way; what others put there stays."""

import pytest

from evograft.config.loading import pipeline_from
from evograft.errors import UserError
from evograft.files import is_temporary_of, temporary_path, write_atomically
from evograft.runs.environment_reports import FILE
from evograft.runs.folder import MADE_BY_A_START, discard_files, make_attached, make_folder
from evograft.runs.lock_file import LOCK_FILE

PIPELINE = pipeline_from({"plugins": ["lab"]}, source="test")


@pytest.fixture
def run(tmp_path):
    run = make_folder(PIPELINE, runs=tmp_path / "runs")
    run.save()
    return run


@pytest.fixture
def cut_short(monkeypatch):
    """A write that a kill ends before the new file takes its place."""

    def write(path):
        with monkeypatch.context() as patched:
            patched.setattr("pathlib.Path.replace", lambda *_: pytest.fail("killed"))
            with pytest.raises(pytest.fail.Exception):
                write_atomically(path, b"half")
        assert temporary_path(path).exists()

    return write


@pytest.mark.parametrize("name", [FILE, LOCK_FILE])
def test_what_a_kill_left_of_a_file_is_discarded_with_the_others(run, cut_short, name):
    cut_short(run.path / name)
    assert discard_files(run)
    assert not run.path.exists()


def test_files_that_a_run_was_to_be_started_with_are_discarded_with_it(run):
    (make_attached(run) / "evaluate.py").touch()
    with pytest.raises(UserError, match="is not empty"):
        make_attached(run)
    assert discard_files(run)
    assert not run.path.exists()


@pytest.mark.parametrize("name", ["notes.txt", ".notes.txt.123.new", f".{FILE}.mine.new"])
def test_a_file_of_somebody_else_keeps_everything_where_it_is(run, name):
    (run.path / name).write_text("mine")
    assert not discard_files(run)
    assert {entry.name for entry in run.path.iterdir()} == {LOCK_FILE, name}


def test_a_folder_in_which_a_kill_left_half_a_lock_file_may_become_a_run(tmp_path, cut_short):
    folder = tmp_path / "named"
    folder.mkdir()
    cut_short(folder / LOCK_FILE)
    assert make_folder(PIPELINE, runs=tmp_path, folder=folder).path == folder
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty"):
        make_folder(PIPELINE, runs=tmp_path, folder=folder)


def test_a_temporary_name_says_whose_it_is(tmp_path):
    for name in MADE_BY_A_START:
        assert is_temporary_of(temporary_path(tmp_path / name).name, [name])
        assert not is_temporary_of(name, [name])
