"""The files that imports of Python mean."""

from __future__ import annotations

import posixpath
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

PACKAGE = "__init__.py"
LOOKED_AT = 200
"""Modules of one name among which the one that is meant is looked for."""


@dataclass(frozen=True)
class PythonModule:
    """A file that can be imported."""

    path: str
    parts: tuple[str, ...]
    """Its folders and its name, from the root of the code base."""


@dataclass(frozen=True)
class PythonModules:
    """The modules of a code base, by the last part of their names."""

    by_name: Mapping[str, list[PythonModule]]
    packages: frozenset[tuple[str, ...]]
    """Folders that are packages: nothing in one is imported by a name that begins there."""

    @classmethod
    def of(cls, paths: Iterable[str]) -> PythonModules:
        by_name = defaultdict[str, list[PythonModule]](list)
        packages = set[tuple[str, ...]]()
        for path in sorted(path for path in paths if path.endswith(".py")):
            folder, name = posixpath.split(path)
            parts = tuple(folder.split("/")) if folder else ()
            if name == PACKAGE:
                packages.add(parts)
            else:
                parts = (*parts, name.removesuffix(".py"))
            if parts:
                by_name[parts[-1]].append(PythonModule(path, parts))
        return cls(by_name, frozenset(packages))

    def find(self, importer: str, language: str, name: str) -> str | None:
        """Return the file that an import means; `None` if the code base has none.

        `a.b:c` stands for `c` out of `a.b`.
        """
        del language
        module, _, taken = name.partition(":")
        dots = len(module) - len(module.lstrip("."))
        steps = tuple(part for part in module.lstrip(".").split(".") if part)
        if not dots and steps and steps[0] in sys.stdlib_module_names:
            return None
        for wanted in ((*steps, taken), steps) if taken else (steps,):
            found = self._relative(importer, dots, wanted) if dots else self._absolute(importer, wanted)
            if found:
                return found
        return None

    def _relative(self, importer: str, dots: int, steps: tuple[str, ...]) -> str | None:
        folder = posixpath.dirname(importer)
        above = tuple(folder.split("/")) if folder else ()
        if dots - 1 > len(above):
            return None
        wanted = (*above[: len(above) - dots + 1], *steps)
        found = (each for each in self.by_name.get(wanted[-1] if wanted else "", ()) if each.parts == wanted)
        return next((each.path for each in found if each.path != importer), None)

    def _absolute(self, importer: str, steps: tuple[str, ...]) -> str | None:
        """Find the module next to the importer, as scripts import; else the one nearest to the root."""
        own = tuple(posixpath.dirname(importer).split("/")) if "/" in importer else ()

        def order(module: PythonModule) -> tuple[bool, int, int]:
            place = module.parts[: -len(steps)]
            return place != own, len(place), -len(posixpath.commonprefix((module.path, importer)))

        others = (each for each in self._named(steps) if each.path != importer)
        nearest = min(others, key=order, default=None)
        return nearest.path if nearest else None

    def _named(self, steps: tuple[str, ...]) -> Iterator[PythonModule]:
        """Yield modules that can be imported by this name, whatever is on the path."""
        for module in self.by_name.get(steps[-1] if steps else "", ())[:LOOKED_AT]:
            if module.parts[-len(steps) :] == steps and module.parts[: -len(steps)] not in self.packages:
                yield module
