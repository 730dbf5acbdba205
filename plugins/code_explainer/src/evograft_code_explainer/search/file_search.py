"""Searching the files of a repository."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evograft_code_explainer.files.kinds import is_binary
from evograft_code_explainer.files.patterns import Patterns
from evograft_code_explainer.files.refusal import Refused
from evograft_code_explainer.files.repository import SNIFFED, Repository
from evograft_code_explainer.files.root import Opened
from evograft_code_explainer.files.text import decode
from evograft_code_explainer.files.walk import Entry
from evograft_code_explainer.search.expression import Expression, Hit
from evograft_code_explainer.search.ripgrep import find_candidates


@dataclass(frozen=True)
class Found:
    path: str
    hit: Hit


class Lookout:
    """A search that is going on."""

    def __init__(self, repository: Repository, expression: Expression) -> None:
        self.files = 0
        """How many files were searched."""
        self.is_late = False
        """Whether time ran out."""
        self._repository = repository
        self._expression = expression
        self._end = time.monotonic() + repository.options.search_seconds

    def in_file(self, path: str) -> Iterator[Found]:
        file = self._repository.read(path)
        self.files += 1
        yield from (Found(file.path, hit) for hit in self._expression.hits(file.content.text))

    def in_folder(self, folder: Opened, glob: str, *, hidden: bool) -> Iterator[Found]:
        """In the order of a listing, with all that is below it."""
        walk = self._repository.walk(hidden=hidden)
        wanted = self._wanted(folder, glob, hidden=walk.hidden)
        for entry in walk.below(folder):
            if entry.kind == "file" and wanted(entry.path):
                if time.monotonic() > self._end:
                    self.is_late = True
                    return
                yield from self._in_entry(entry)

    def _wanted(self, folder: Opened, glob: str, *, hidden: bool) -> Callable[[str], bool]:
        """Which paths are to be looked at."""
        patterns = Patterns([glob] if glob else [])
        if glob and not patterns:
            raise Refused(f"glob: {glob!r} is no pattern such as *.py or src/**/*.ts")
        start = len(folder.path) + 1 if folder.path else 0
        seconds = max(0.1, (self._end - time.monotonic()) / 2)
        place = f"{self._repository.root.folder}/{folder.path}"
        candidates = find_candidates(self._expression, place, hidden=hidden, seconds=seconds)

        def wanted(path: str) -> bool:
            inside = path[start:]
            return (candidates is None or inside in candidates) and (not glob or bool(patterns.include(inside)))

        return wanted

    def _in_entry(self, entry: Entry) -> Iterator[Found]:
        try:
            data = entry.read(self._repository.options.file_bytes)
        except (OSError, Refused):
            return
        if not is_binary(data[:SNIFFED]):
            self.files += 1
            yield from (Found(entry.path, hit) for hit in self._expression.hits(decode(data).text))
