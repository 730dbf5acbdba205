"""The languages that are understood, by the endings of their files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Query


@dataclass(frozen=True)
class CodeLanguage:
    name: str
    suffixes: tuple[str, ...]
    package: str
    """The package that holds the grammar."""
    query: str
    """The file with the query that captures definitions and imports, without its ending."""
    function: str = "language"
    """What the package calls the grammar."""

    @property
    def grammar(self) -> Language:
        return _grammar(self.package, self.function)

    @property
    def captures(self) -> Query:
        """Return the query that captures `definition`, and `import` and the like."""
        return _query(self)


LANGUAGES = (
    CodeLanguage("Python", (".py", ".pyi", ".pyw"), "tree_sitter_python", "python"),
    CodeLanguage("JavaScript", (".js", ".jsx", ".mjs", ".cjs"), "tree_sitter_javascript", "javascript"),
    CodeLanguage("TypeScript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", "typescript", "language_typescript"),
    CodeLanguage("TSX", (".tsx",), "tree_sitter_typescript", "typescript", "language_tsx"),
    CodeLanguage("C", (".c", ".h"), "tree_sitter_c", "c"),
    CodeLanguage("C++", (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".ipp"), "tree_sitter_cpp", "cpp"),
    CodeLanguage("Java", (".java",), "tree_sitter_java", "java"),
    CodeLanguage("Go", (".go",), "tree_sitter_go", "go"),
    CodeLanguage("Rust", (".rs",), "tree_sitter_rust", "rust"),
    CodeLanguage("Ruby", (".rb", ".rake"), "tree_sitter_ruby", "ruby"),
    CodeLanguage("C#", (".cs",), "tree_sitter_c_sharp", "csharp"),
    CodeLanguage("PHP", (".php",), "tree_sitter_php", "php", "language_php"),
)

BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def find_language(path: str) -> CodeLanguage | None:
    """Return the language of a file by its name; `None` if it is none of these."""
    name = path.rpartition("/")[2]
    return BY_SUFFIX.get(f".{name.rpartition('.')[2].lower()}")


@cache
def _grammar(package: str, function: str) -> Language:
    from tree_sitter import Language

    return Language(getattr(import_module(package), function)())


@cache
def _query(language: CodeLanguage) -> Query:
    from tree_sitter import Query

    return Query(
        language.grammar, (files(__package__) / "queries" / f"{language.query}.scm").read_text(encoding="utf-8")
    )
