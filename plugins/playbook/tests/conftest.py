import pytest

from evograft_playbook.store import PlaybookStore


@pytest.fixture
def path(tmp_path):
    return tmp_path / "playbook.sqlite"


@pytest.fixture
def store(path):
    with PlaybookStore(path) as store:
        yield store
