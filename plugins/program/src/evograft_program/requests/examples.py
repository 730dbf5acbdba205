"""Tasks to try, which the package brings."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

PACKAGE = "evograft_program.examples"


def write_example(name: str, parent: Path) -> Path:
    """Put the files of an example into a folder of its name, and return that; files that are there stay as they are."""
    folder = parent / name
    folder.mkdir(exist_ok=True)
    for source in (resources.files(PACKAGE) / name).iterdir():
        target = folder / source.name
        if source.name.endswith(".py") and not target.exists():
            target.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    return folder
