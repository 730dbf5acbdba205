"""The worker as one file, which any Python can run."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

PACKAGE = "evograft_program"
SHIMS = "shims"
START = "__main__.py"


@cache
def build_archive() -> bytes:
    """Return the worker as a ZIP archive: equal bytes for equal sources."""
    worker = resources.files(PACKAGE) / "worker"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        _add(archive, f"{PACKAGE}/__init__.py", "")
        for name, source in _sources(worker, ""):
            # The start lies at the top, and what stands in for other engines in a folder of its own.
            at_top = name == START or name.startswith(f"{SHIMS}/")
            _add(archive, name if at_top else f"{PACKAGE}/worker/{name}", source)
    return packed.getvalue()


def _sources(folder: Traversable, prefix: str) -> list[tuple[str, str]]:
    found = []
    for item in sorted(folder.iterdir(), key=lambda each: each.name):
        if item.is_dir() and item.name != "__pycache__":
            found += _sources(item, f"{prefix}{item.name}/")
        elif item.name.endswith(".py"):
            found.append((prefix + item.name, item.read_text(encoding="utf-8")))
    return found


def _add(archive: zipfile.ZipFile, name: str, source: str) -> None:
    archive.writestr(zipfile.ZipInfo(name), source)
