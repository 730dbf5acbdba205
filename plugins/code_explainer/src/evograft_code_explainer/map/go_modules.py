"""The folders that imports of Go mean."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class GoModules:
    """The modules of a code base, and its packages."""

    folders: dict[str, str]
    """By the path of a module, the folder of its go.mod."""
    packages: frozenset[str]
    """Folders with source files other than tests."""

    @classmethod
    def of(cls, paths: Iterable[str], read: Callable[[str], str]) -> GoModules:
        folders, packages = {}, set[str]()
        for path in sorted(paths):
            folder, name = posixpath.split(path)
            if name == "go.mod" and (match := MODULE.search(read(path))):
                folders[match[1]] = folder
            elif name.endswith(".go") and not name.endswith("_test.go"):
                packages.add(folder)
        return cls(folders, frozenset(packages))

    def find(self, importer: str, language: str, name: str) -> str | None:
        """Return the folder of the package that an import means, with a slash; `None` if the code base has none."""
        del importer, language
        for module, folder in self.folders.items():
            if name == module or name.startswith(f"{module}/"):
                package = posixpath.join(folder, name[len(module) + 1 :]).rstrip("/")
                return f"{package or '.'}/" if package in self.packages else None
        return None
