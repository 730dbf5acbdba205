"""Sessions are found by name and id, and begin where nothing is."""

from datetime import UTC, datetime

import pytest

from evograft.runs.index import open_run
from evograft_ahc.sessions.locations import (
    find_session,
    get_session,
    list_sessions,
    make_session_folder,
    make_session_name,
)
from evograft_ahc.text.messages import ContestUserError


def test_a_session_that_nobody_named_is_called_by_date_and_time():
    assert make_session_name(datetime(2026, 11, 22, 9, 5, 7, tzinfo=UTC)) == "session_20261122_090507"


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "-x", "x" * 101])
def test_a_name_that_is_no_folders_name_is_refused(workspace, name):
    with pytest.raises(ContestUserError, match="cannot be called"):
        make_session_folder(workspace, name)


def test_a_folder_that_is_something_else_is_left_alone(workspace):
    (workspace.folder / "problem").mkdir()
    (workspace.folder / "problem" / "problem.md").write_text("# A")
    with pytest.raises(ContestUserError, match="something else"):
        make_session_folder(workspace, "problem")
    with pytest.raises(ContestUserError, match="something else"):
        make_session_folder(workspace, "task.json")


def test_sessions_are_listed_by_when_they_were_worked_on_and_found_by_name_and_id(runs, workspace):
    runs.folder = workspace.folder
    first, second = runs.run("first", trials=10), runs.run("second", trials=10)
    assert list_sessions(workspace) == [first, second]
    assert get_session(workspace, None) == second
    assert get_session(workspace, "first") == find_session(workspace, open_run(first).id) == first
    assert find_session(workspace, "frist") is None
    with pytest.raises(ContestUserError, match="did you mean 'first'"):
        get_session(workspace, "frist")
    with pytest.raises(ContestUserError, match="--session-id first"):
        make_session_folder(workspace, "first")


def test_a_session_that_is_damaged_stands_in_no_other_ones_way(runs, workspace):
    runs.folder = workspace.folder
    damaged, whole = runs.run("damaged", trials=3), runs.run("whole", trials=3)
    (damaged / "pipeline.lock.yaml").write_text("{")
    assert get_session(workspace, "whole") == whole
    assert get_session(workspace, "damaged") == damaged


def test_a_workspace_without_sessions_says_how_to_begin_one(workspace):
    with pytest.raises(ContestUserError, match="evo ahc solve"):
        get_session(workspace, None)
