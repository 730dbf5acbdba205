"""Programming languages by the endings of their files."""

from __future__ import annotations

from pathlib import PurePosixPath

LANGUAGES = {
    "c": (".c", ".h"),
    "cpp": (".cpp", ".cc", ".cxx", ".hpp", ".hxx"),
    "csharp": (".cs",),
    "cuda": (".cu", ".cuh"),
    "fortran": (".f", ".for", ".f90", ".f95", ".f03", ".f08"),
    "go": (".go",),
    "haskell": (".hs",),
    "java": (".java",),
    "javascript": (".js", ".mjs"),
    "json": (".json",),
    "julia": (".jl",),
    "kotlin": (".kt",),
    "lean": (".lean",),
    "lua": (".lua",),
    "markdown": (".md",),
    "ocaml": (".ml",),
    "perl": (".pl",),
    "php": (".php",),
    "python": (".py",),
    "r": (".r",),
    "ruby": (".rb",),
    "rust": (".rs",),
    "scala": (".scala",),
    "shell": (".sh",),
    "sql": (".sql",),
    "swift": (".swift",),
    "text": (".txt",),
    "toml": (".toml",),
    "typescript": (".ts",),
    "yaml": (".yaml", ".yml"),
    "zig": (".zig",),
}
_BY_SUFFIX = {suffix: name for name, suffixes in LANGUAGES.items() for suffix in suffixes}


def find_language(name: str) -> str:
    """Return the language of a file by its name; empty if it is unknown."""
    return _BY_SUFFIX.get(PurePosixPath(name).suffix.lower(), "")


def language_of(names: list[str]) -> str:
    """Return the language of all these files; empty if they are not all in one."""
    found = {find_language(name) for name in names}
    return found.pop() if len(found) == 1 else ""
