"""What tests of the Python interface share: the plugin `halving` in this process, and a folder for runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HALVING = Path(__file__).parents[1] / "halving"
PROGRAM = "# EVOLVE-BLOCK-START\nX = 3.5\nY = 4.5\n# EVOLVE-BLOCK-END\n\n\ndef point():\n    return X, Y\n"


@pytest.fixture
def program() -> str:
    """The text of a start program with two numbers."""
    return PROGRAM


@pytest.fixture
def halved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict:
    """Installs the plugin `halving`, here and in processes that are started; returns the options that make it work."""
    monkeypatch.syspath_prepend(str(HALVING))
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(HALVING), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    )
    monkeypatch.chdir(tmp_path)
    return {"plugins": ["halving"], "settings": {"owners.evaluate": "program"}}
