import os
from pathlib import Path

import pytest

from evograft_playbook.store import PlaybookStore


@pytest.fixture
def path(tmp_path):
    return tmp_path / "playbook.sqlite"


@pytest.fixture
def store(path):
    with PlaybookStore(path) as store:
        yield store


@pytest.fixture
def trail(monkeypatch):
    """Installs the plugins `trail` and `killer` for this test, in this process and those it starts."""
    folder = str(Path(__file__).parent / "trail")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep))
