"""A workspace that is the current folder, and runs in its record."""

from __future__ import annotations

import itertools

import pytest

from evograft_ahc.scores.record import open_score_record
from evograft_ahc.scores.run import ScoredRun

CLOCK = itertools.count(1_700_000_000)


@pytest.fixture
def workspace(bare_workspace, monkeypatch):
    monkeypatch.chdir(bare_workspace.folder)
    bare_workspace.inputs.mkdir()
    return bare_workspace


@pytest.fixture
def ran():
    """`ran(name, a=1.0, b=None)`: a run of a program whose hash is its name, later than those before."""

    def make(name, source="test", *, program=None, **fields):
        known = {key: fields.pop(key) for key in ("comment", "slowest", "is_pruned", "revision") if key in fields}
        at = next(CLOCK)
        return ScoredRun(f"{name}/{at}", source, name, float(at), fields, name if program is None else program, **known)

    return make


@pytest.fixture
def recorded(workspace):
    """Records runs in the workspace."""

    def put(*runs):
        with open_score_record(workspace) as record:
            record.put(*runs)

    return put
