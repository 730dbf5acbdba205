"""A survey of the files that there are, by folder and language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.languages.language import find_language

MOST = 200_000
"""Files after which a survey ends."""
LEVELS = 3
"""Folders within one another that are counted by themselves."""


@dataclass(frozen=True)
class FileSurvey:
    sizes: dict[str, int]
    """The bytes of each file, by its path from the root."""
    is_cut: bool
    """Whether there are more files."""

    def languages(self) -> Counter[str]:
        """Count the files of each language, and of all others by their ending."""
        return Counter(kind_of(path) for path in self.sizes)

    def folders(self) -> Counter[str]:
        """Count the files below each folder that is not too deep."""
        return Counter(folder for path in self.sizes for folder in _folders(path))


def survey_files(repository: Repository) -> FileSurvey:
    """Survey files by their names and sizes alone."""
    with repository.root.subfolder(".") as root:
        found = ((entry.path, entry.size()) for entry in repository.walk().below(root) if entry.kind == "file")
        sizes = dict(islice(found, MOST))
        return FileSurvey(sizes, is_cut=next(found, None) is not None)


def kind_of(path: str) -> str:
    language = find_language(path)
    if language:
        return language.name
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return f"{dot}{suffix.lower()}" if stem else "without ending"


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[:depth]) for depth in range(1, min(len(parts), LEVELS) + 1))
