"""Workspaces, with and without what judging needs."""

import fcntl
import shutil

import pytest
from python_process import run_evo

from evograft_ahc.workspace.folder import Workspace
from evograft_ahc.workspace.init import initialize_workspace


@pytest.fixture
def workspace(bare_workspace, monkeypatch):
    """The current folder: what commands need to find a contest, and nothing that is built."""
    monkeypatch.chdir(bare_workspace.folder)
    return bare_workspace


@pytest.fixture
def practice(tmp_path, tmp_path_factory, monkeypatch):
    """The current folder: a whole workspace, with settings that ask for no model."""
    if shutil.which("g++") is None:
        pytest.skip("install g++")
    shared = tmp_path_factory.getbasetemp()
    if shared.name.startswith("popen-"):  # a worker of pytest-xdist
        shared = shared.parent
    with (shared / "practice.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Settings are what it writes last.
        if not (shared / "workspaces" / "practice001" / "ahc_config.yaml").exists():
            initialize_workspace("practice001", shared / "workspaces")
    folder = tmp_path / "practice001"
    shutil.copytree(shared / "workspaces" / "practice001", folder)
    monkeypatch.chdir(folder)
    config = folder / "ahc_config.yaml"
    config.write_text(config.read_text().replace('provider: "openai"', 'provider: "none"'))
    return Workspace(folder)


@pytest.fixture
def evo_apart(practice):
    """A command in a process of its own, which may leave one in the background."""

    def call(*arguments):
        done = run_evo(*arguments, cwd=practice.folder)
        done.check_returncode()
        return done

    yield call
    run_evo("ahc", "stop", cwd=practice.folder)
