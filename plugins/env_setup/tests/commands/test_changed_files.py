"""Files that a plan names are compared without being trusted."""

import os

import pytest

from evograft_env_setup.commands.changed_files import find_changed


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_of_many_files_those_that_differ_are_named(kit, project):
    before = project.with_name("before")
    before.mkdir()
    for name, was, is_now in (("same", "1", "1"), ("it's other", "1", "2"), ("gone", "1", None), ("new", None, "1")):
        for folder, text in ((before, was), (project, is_now)):
            if text is not None:
                (folder / name).write_text(text)
    names = ["same", "it's other", "gone", "new", "never"]
    assert find_changed(names, project, kit.Shell(before)) == ["it's other", "gone"]


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/hostname", "a\0b", "n" * 300, "x" * 200_000, "pipe", "folder", "link"]
)
def test_what_is_not_a_file_of_the_project_is_not_compared(kit, project, name):
    (project.parent / "outside").write_text("outside")
    (project / "folder").mkdir()
    (project / "link").symlink_to("/etc/hostname")
    os.mkfifo(project / "pipe")
    assert find_changed([name], project, kit.Shell(project)) == []


def test_no_command_runs_where_there_is_nothing_to_compare(kit, project):
    shell = kit.Shell(project)
    assert find_changed([], project, shell) == []
    assert shell.calls == []
