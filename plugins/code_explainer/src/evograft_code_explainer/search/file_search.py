"""The search in the files of a repository."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evograft_code_explainer.files.kinds import is_binary
from evograft_code_explainer.files.patterns import GitignorePatterns
from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.repository import SNIFFED, Repository
from evograft_code_explainer.files.root import OpenedPath
from evograft_code_explainer.files.text import decode
from evograft_code_explainer.files.walk import FileEntry
from evograft_code_explainer.search.expression import SearchExpression, SearchHit
from evograft_code_explainer.search.ripgrep import find_candidates


@dataclass(frozen=True)
class FileHit:
    path: str
    hit: SearchHit


class FileSearch:
    """A search in progress."""

    def __init__(self, repository: Repository, expression: SearchExpression) -> None:
        self.files = 0
        """How many files were searched."""
        self.is_late = False
        """Whether time ran out."""
        self._repository = repository
        self._expression = expression
        self._end = time.monotonic() + repository.options.search_seconds

    def in_file(self, path: str) -> Iterator[FileHit]:
        file = self._repository.read(path)
        self.files += 1
        yield from (FileHit(file.path, hit) for hit in self._expression.hits(file.content.text))

    def in_folder(self, folder: OpenedPath, glob: str, *, hidden: bool) -> Iterator[FileHit]:
        """Yield what is found below a folder, in the order of a listing."""
        walk = self._repository.walk(hidden=hidden)
        wanted = self._wanted(folder, glob, hidden=walk.hidden)
        for entry in walk.below(folder):
            if entry.kind == "file" and wanted(entry.path):
                if time.monotonic() > self._end:
                    self.is_late = True
                    return
                yield from self._in_entry(entry)

    def _wanted(self, folder: OpenedPath, glob: str, *, hidden: bool) -> Callable[[str], bool]:
        """Return which paths are to be looked at."""
        patterns = GitignorePatterns([glob] if glob else [])
        if glob and not patterns:
            raise RequestRefused(f"glob: {glob!r} is no pattern such as *.py or src/**/*.ts")
        start = len(folder.path) + 1 if folder.path else 0
        seconds = max(0.1, (self._end - time.monotonic()) / 2)
        place = f"{self._repository.root.folder}/{folder.path}"
        candidates = find_candidates(self._expression, place, hidden=hidden, seconds=seconds)

        def wanted(path: str) -> bool:
            inside = path[start:]
            return (candidates is None or inside in candidates) and (not glob or bool(patterns.include(inside)))

        return wanted

    def _in_entry(self, entry: FileEntry) -> Iterator[FileHit]:
        try:
            data = entry.read(self._repository.options.file_bytes)
        except (OSError, RequestRefused):
            return
        if not is_binary(data[:SNIFFED]):
            self.files += 1
            yield from (FileHit(entry.path, hit) for hit in self._expression.hits(decode(data).text))
