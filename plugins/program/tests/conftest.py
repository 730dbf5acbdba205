"""A task to evolve, and a plugin that improves its program without a model."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

HALVING = Path(__file__).parent / "halving"
PROGRAM = "# EVOLVE-BLOCK-START\nX = 3.5\nY = 4.5\n# EVOLVE-BLOCK-END\n\n\ndef point():\n    return X, Y\n"
EVALUATOR = '''"""Find x and y with the smallest x*x + y*y."""


def evaluate(program_path):
    """Execute the program and call point()."""
    names = {}
    with open(program_path) as file:
        exec(file.read(), names)
    x, y = names["point"]()
    return {"combined_score": -(x * x + y * y)}
'''


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A folder with a program and its evaluator."""
    folder = tmp_path / "valley"
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM)
    (folder / "evaluate.py").write_text(EVALUATOR)
    return folder


@pytest.fixture
def halving(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Installs the plugin `halving` for the processes that this test starts; returns the options that make it work."""
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(HALVING), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    )
    return ("--plugin", "halving")


@pytest.fixture
def shown() -> Callable[[Path], dict]:
    """Return a function that reads the newest settings of a run."""
    return lambda folder: yaml.safe_load((folder / "pipeline.lock.yaml").read_text())["epochs"][-1]["pipeline"]
