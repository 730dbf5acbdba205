"""The files that imports mean, as far as names tell."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

SCRIPTS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.tsx", "/index.js")
LOOKED_AT = 200
"""Files of one name among which the one that is meant is looked for."""


class ImportResolver:
    """The files of a code base by their names."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = set(paths)

    def find(self, importer: str, language: str, name: str) -> str | None:
        """Return the file that an import means; `None` if the code base has none, or nobody knows."""
        for place in GUESSES.get(language, _no_guesses)(importer, name):
            if found := self._find(importer, place):
                return found
        return None

    def _find(self, importer: str, place: str) -> str | None:
        """Find a file by its path, which begins with a slash if it is from the root; else by how its path ends."""
        if place.startswith("/"):
            path = posixpath.normpath(place).lstrip("/")
            return path if path in self._paths and path != importer else None
        named = self._by_name.get(posixpath.basename(place), ())[:LOOKED_AT]
        fitting = [path for path in named if path != importer and f"/{path}".endswith(f"/{place}")]
        return max(fitting, key=lambda path: len(posixpath.commonprefix((path, importer))), default=None)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found = defaultdict(list)
        for path in sorted(self._paths):
            found[posixpath.basename(path)].append(path)
        return found


def _no_guesses(importer: str, name: str) -> Iterator[str]:
    del importer, name
    return iter(())


def _script(importer: str, name: str) -> Iterator[str]:
    if name.startswith("."):
        place = f"/{posixpath.dirname(importer)}/{name}"
        stem, suffix = posixpath.splitext(place)
        yield from (place, *(place + ending for ending in SCRIPTS))
        # TypeScript imports what it will have become.
        yield from (stem + ending for ending in SCRIPTS[:2] if suffix in (".js", ".jsx", ".mjs"))


def _include(importer: str, name: str) -> Iterator[str]:
    file = name.strip("<>")
    yield from (f"/{posixpath.dirname(importer)}/{file}", posixpath.normpath(file).lstrip("./"))


def _java(importer: str, name: str) -> Iterator[str]:
    del importer
    yield f"{name.replace('.', '/')}.java"


def _rust(importer: str, name: str) -> Iterator[str]:
    folder, file = posixpath.split(importer)
    if "::" not in name:
        stem = file.removesuffix(".rs")
        inner = "" if stem in ("mod", "lib", "main") else f"/{stem}"
        yield from (f"/{folder}{inner}/{name}.rs", f"/{folder}{inner}/{name}/mod.rs")
    elif name.startswith("crate::"):
        steps = name.removeprefix("crate::").partition("{")[0].strip(":").split("::")
        for count in range(len(steps), 0, -1):
            place = "/".join(["src", *steps[:count]])
            yield from (f"{place}.rs", f"{place}/mod.rs")


def _ruby(importer: str, name: str) -> Iterator[str]:
    file = f"{name.removesuffix('.rb')}.rb"
    yield from (f"/{posixpath.dirname(importer)}/{file}", posixpath.normpath(file).lstrip("./"))


GUESSES: dict[str, Callable[[str, str], Iterator[str]]] = {
    "JavaScript": _script,
    "TypeScript": _script,
    "TSX": _script,
    "C": _include,
    "C++": _include,
    "Java": _java,
    "Rust": _rust,
    "Ruby": _ruby,
}
"""By language, where the file of an import may be, the likeliest first. Python and Go have rules of their own: see
`PythonModules` and `GoModules`."""
