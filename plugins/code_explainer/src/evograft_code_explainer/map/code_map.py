"""The map of a code base: its files, what imports what, and where programs begin."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.languages.language import find_language
from evograft_code_explainer.languages.parser import SourceProgram, parse
from evograft_code_explainer.map.entry_points import EntryPoint, find_in_manifest, find_in_source, get_manifest_name
from evograft_code_explainer.map.go_modules import GoModules
from evograft_code_explainer.map.import_resolver import ImportResolver
from evograft_code_explainer.map.python_modules import PythonModules
from evograft_code_explainer.map.survey import FileSurvey, survey_files

MOST_SOURCES = 1000
MOST_CHARACTERS = 4_000_000
"""Source files that are parsed, and their length in all: a few seconds' work."""
MOST_MANIFESTS = 100
ASIDE = frozenset(
    {"test", "tests", "__tests__", "spec", "benchmarks", "examples", "docs", "vendor", "third_party", "node_modules"}
)
"""Folders that are looked into last."""


@dataclass(frozen=True)
class CodeMap:
    survey: FileSurvey
    sources: int
    """How many source files there are."""
    parsed: int
    """How many of them were looked into."""
    imports: tuple[tuple[str, str], ...]
    """Pairs: the file that imports, and the file that is imported; of Go the folder, with a slash, because it imports
    folders."""
    entry_points: tuple[EntryPoint, ...]

    def most_imported(self) -> Counter[str]:
        """Count by how many files each file or folder is imported."""
        return Counter(imported for _, imported in self.imports)


def build_map(repository: Repository) -> CodeMap:
    """Look at all names, and into as many files as the limits allow.

    Files near the root come first, tests and the like last.
    """
    found = survey_files(repository)
    paths = sorted(found.sizes, key=lambda path: (_is_aside(path), path.count("/"), path))
    sources = [path for path in paths if find_language(path)]
    programs = _read(repository, sources[:MOST_SOURCES])
    points = [point for path in _manifests(paths) for point in find_in_manifest(path, _text(repository, path))]
    for path, program in programs.items():
        point = find_in_source(path, program.language.name, program.source)
        points += [point] if point else []
    return CodeMap(
        survey=found,
        sources=len(sources),
        parsed=len(programs),
        imports=_imports(repository, programs, found),
        entry_points=tuple(points),
    )


def _is_aside(path: str) -> bool:
    """Return whether a file is about the program rather than part of it."""
    return not ASIDE.isdisjoint(path.split("/")[:-1])


def _manifests(paths: list[str]) -> list[str]:
    return [path for path in paths if get_manifest_name(path)][:MOST_MANIFESTS]


def _read(repository: Repository, paths: list[str]) -> dict[str, SourceProgram]:
    programs: dict[str, SourceProgram] = {}
    room = MOST_CHARACTERS
    for path in paths:
        language = find_language(path)
        source = _text(repository, path)
        room -= len(source)
        if room < 0:
            break
        if language:
            programs[path] = SourceProgram(source, language)
    return programs


def _imports(
    repository: Repository, programs: dict[str, SourceProgram], found: FileSurvey
) -> tuple[tuple[str, str], ...]:
    resolver = ImportResolver(found.sizes)
    finders = {
        "Go": GoModules.of(found.sizes, lambda path: _text(repository, path)).find,
        "Python": PythonModules.of(found.sizes).find,
    }
    pairs: dict[tuple[str, str], None] = {}
    for (path, program), parsed in zip(programs.items(), parse(list(programs.values())), strict=True):
        find = finders.get(program.language.name, resolver.find)
        for name in parsed.imports if parsed else ():
            imported = find(path, program.language.name, name)
            if imported:
                pairs[path, imported] = None
    return tuple(pairs)


def _text(repository: Repository, path: str) -> str:
    """Return the text of a file; nothing if it can't be read."""
    try:
        return repository.read(path).content.text
    except RequestRefused:
        return ""
