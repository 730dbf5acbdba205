"""The git revision of a program's file."""

import shutil
import subprocess

import pytest

from evograft_ahc.scores.revision import find_revision
from evograft_ahc.scores.run import Revision

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="install git")


@pytest.fixture
def repository(tmp_path):
    def git(*words):
        named = ("-c", "user.name=a", "-c", "user.email=a@b")
        done = subprocess.run(["git", *named, *words], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "-q")
    (tmp_path / "main.cpp").write_text("one")
    (tmp_path / "other.cpp").write_text("one")
    git("add", ".")
    git("commit", "-qm", "first")
    return git


def test_a_file_as_it_was_committed_has_commit_and_tag(repository, tmp_path):
    repository("tag", "v1")
    assert find_revision(tmp_path / "main.cpp") == Revision(repository("rev-parse", "--short", "HEAD"), "v1")


def test_only_changes_of_the_file_itself_are_marked(repository, tmp_path):
    (tmp_path / "other.cpp").write_text("two")
    commit = repository("rev-parse", "--short", "HEAD")
    assert find_revision(tmp_path / "main.cpp").commit == commit
    assert find_revision(tmp_path / "other.cpp").commit == f"{commit}+"


def test_a_program_that_the_repository_names_as_a_helper_is_not_started(repository, tmp_path):
    (tmp_path / "helper").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    (tmp_path / "helper").chmod(0o755)
    repository("config", "core.fsmonitor", str(tmp_path / "helper"))
    find_revision(tmp_path / "main.cpp")
    assert not (tmp_path / "started").exists()


def test_outside_of_repositories_and_without_git_there_is_no_revision(tmp_path, monkeypatch):
    assert find_revision(tmp_path / "main.cpp") == Revision()
    monkeypatch.setenv("PATH", "/nowhere")
    assert find_revision(tmp_path / "main.cpp") == Revision()
