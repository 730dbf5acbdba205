"""Entry points: where programs begin."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

BEGINNINGS = {
    "Python": re.compile(r"^if __name__ == ['\"]__main__['\"]", re.MULTILINE),
    "C": re.compile(r"^(?:int|void)\s+main\s*\(", re.MULTILINE),
    "C++": re.compile(r"^(?:int|auto)\s+main\s*\(", re.MULTILINE),
    "Java": re.compile(r"^\s*public static void main\s*\(", re.MULTILINE),
    "Go": re.compile(r"^func main\(\)", re.MULTILINE),
    "Rust": re.compile(r"^(?:pub )?(?:async )?fn main\(\)", re.MULTILINE),
    "C#": re.compile(r"^\s*(?:public |private )?static (?:async )?\w+ Main\s*\(", re.MULTILINE),
}


@dataclass(frozen=True)
class EntryPoint:
    path: str
    line: int
    """0: the file as a whole says so."""
    text: str


def find_in_source(path: str, language: str, source: str) -> EntryPoint | None:
    """Find where a program begins in a source file."""
    pattern = BEGINNINGS.get(language)
    match = pattern.search(source) if pattern else None
    if match is None:
        return None
    at = match.end() - len(match[0].lstrip())
    line = source.count("\n", 0, at) + 1
    return EntryPoint(path, line, source[at : source.find("\n", at) if "\n" in source[at:] else len(source)].strip())


def find_in_manifest(path: str, text: str) -> list[EntryPoint]:
    """Find what a file such as pyproject.toml says of where programs begin; nothing if it can't be read."""
    read = MANIFESTS[get_manifest_name(path)]
    try:
        return [EntryPoint(path, 0, each) for each in dict.fromkeys(read(text))]
    except (ValueError, AttributeError, TypeError, RecursionError):
        # A manifest may be anybody's: broken, or of other types than its format wants.
        return []


def get_manifest_name(path: str) -> str:
    """Return the name by which a file is a manifest; empty if it is none."""
    name = path.rpartition("/")[2]
    name = "Dockerfile" if name.startswith("Dockerfile.") else name
    return name if name in MANIFESTS else ""


def _pyproject(text: str) -> Iterator[str]:
    project = tomllib.loads(text).get("project", {})
    for table in ("scripts", "gui-scripts"):
        yield from (f"{name} = {target}" for name, target in project.get(table, {}).items())


def _package(text: str) -> Iterator[str]:
    package = json.loads(text)
    for key in ("main", "bin"):
        yield from _named(key, package.get(key))
    yield from _named("start", package.get("scripts", {}).get("start"))


def _named(key: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{key} {name}: {target}" for name, target in value.items()]
    return [f"{key}: {value}"] if value else []


def _cargo(text: str) -> Iterator[str]:
    for binary in tomllib.loads(text).get("bin", []):
        yield f"bin {binary.get('name')}: {binary.get('path', 'src/main.rs')}"


def _dockerfile(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.startswith(("CMD", "ENTRYPOINT")))


def _procfile(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if ":" in line)


MANIFESTS: dict[str, Callable[[str], Iterator[str]]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package,
    "Cargo.toml": _cargo,
    "Dockerfile": _dockerfile,
    "Procfile": _procfile,
}
