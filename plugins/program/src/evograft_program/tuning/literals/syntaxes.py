"""How languages write comments and strings, and which grammar reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DOUBLE, SINGLE = r'"(?:[^"\\\n]|\\.)*"', r"'(?:[^'\\\n]|\\.)*'"
TRIPLE = r'"""(?:[^\\]|\\.)*?"""'
TRIPLES = rf"{TRIPLE}|'''(?:[^\\]|\\.)*?'''"
CHARACTER = r"'(?:[^'\\\n]|\\(?:u\{?\w+\}?|.))'"
"""One character: in Rust a lone `'` begins a lifetime, in Julia it transposes."""
RAW_RUST = r'r(?P<hashes>#*)".*?"(?P=hashes)'
RAW_CPP = r'R"(?P<fence>[^(\s]{0,16})\(.*?\)(?P=fence)"'
BACKTICKS = r"`(?:[^`\\]|\\.)*`"
C_COMMENTS = r"//[^\n]*|/\*.*?\*/"
DOUBLED = r"\"[^\"\n]*\"|'[^'\n]*'"
"""Without escapes: a doubled quote is two strings."""


@dataclass(frozen=True)
class LanguageSyntax:
    """What the text of a language is read by."""

    skipped: str
    """A regular expression for comments and strings; `.` matches line ends."""
    grammar: str = ""
    """The module of a tree-sitter grammar; empty: there is none that is kept up."""


SYNTAXES: Mapping[str, LanguageSyntax] = {
    "c": LanguageSyntax(f"{C_COMMENTS}|{DOUBLE}|{SINGLE}", "tree_sitter_c"),
    "cpp": LanguageSyntax(f"{C_COMMENTS}|{RAW_CPP}|{DOUBLE}|(?<!\\d){SINGLE}", "tree_sitter_cpp"),
    "csharp": LanguageSyntax(f"{C_COMMENTS}|{DOUBLE}|{SINGLE}", "tree_sitter_c_sharp"),
    "fortran": LanguageSyntax(f"![^\n]*|{DOUBLED}", "tree_sitter_fortran"),
    "go": LanguageSyntax(f"{C_COMMENTS}|`[^`]*`|{DOUBLE}|{SINGLE}", "tree_sitter_go"),
    "java": LanguageSyntax(f"{C_COMMENTS}|{TRIPLE}|{DOUBLE}|{SINGLE}", "tree_sitter_java"),
    "javascript": LanguageSyntax(f"{C_COMMENTS}|{BACKTICKS}|{DOUBLE}|{SINGLE}", "tree_sitter_javascript"),
    "julia": LanguageSyntax(f"#=.*?=#|#[^\n]*|{TRIPLE}|{DOUBLE}|{CHARACTER}", "tree_sitter_julia"),
    "lua": LanguageSyntax(rf"--\[\[.*?\]\]|--[^\n]*|\[\[.*?\]\]|{DOUBLE}|{SINGLE}"),
    "python": LanguageSyntax(f"#[^\n]*|{TRIPLES}|{DOUBLE}|{SINGLE}", "tree_sitter_python"),
    "rust": LanguageSyntax(f"{C_COMMENTS}|{RAW_RUST}|{DOUBLE}|{CHARACTER}", "tree_sitter_rust"),
    "typescript": LanguageSyntax(f"{C_COMMENTS}|{BACKTICKS}|{DOUBLE}|{SINGLE}", "tree_sitter_javascript"),
}
HASH = LanguageSyntax(f"#[^\n]*|{TRIPLES}|{DOUBLE}|{SINGLE}")
UNKNOWN = LanguageSyntax(f"#[^\n]*|{C_COMMENTS}|{TRIPLES}|{DOUBLE}|{SINGLE}")
ALIASES: Mapping[str, str] = {"c++": "cpp", "cuda": "cpp", "c#": "csharp", "golang": "go", "py": "python"}
WITH_HASH = frozenset({"perl", "r", "ruby", "shell", "toml", "yaml"})


def find_syntax(language: str) -> LanguageSyntax:
    """Return how a language is read; of one that is not known, comments and strings of any kind are left out."""
    name = ALIASES.get(language.lower(), language.lower())
    return SYNTAXES.get(name, HASH if name in WITH_HASH else UNKNOWN)
