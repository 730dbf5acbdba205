"""Programming languages: what their code blocks are tagged with, and a cheap look at whether text is in one."""

from __future__ import annotations

import ast
import re
import symtable
import warnings
from pathlib import PurePosixPath

from evograft_hookspecs import CandidateRejected, Problem
from evograft_operators.models.text import one_line, quote

_TAGS: dict[str, tuple[str, ...]] = {
    "assembly": ("asm", "s"),
    "c": ("h",),
    "clojure": ("clj",),
    "cpp": ("c++", "cc", "cxx", "hpp", "hxx"),
    "csharp": ("c#", "cs"),
    "cuda": ("cu",),
    "d": (),
    "dart": (),
    "elixir": ("ex", "exs"),
    "erlang": ("erl",),
    "fortran": ("f90", "f95"),
    "go": ("golang",),
    "haskell": ("hs",),
    "java": (),
    "javascript": ("js", "mjs", "jsx"),
    "julia": ("jl",),
    "kotlin": ("kt",),
    "lean": ("lean4",),
    "lua": (),
    "nim": (),
    "ocaml": ("ml",),
    "pascal": ("pas",),
    "perl": ("pl",),
    "php": (),
    "prolog": (),
    "python": ("py", "py3", "python3", "pypy"),
    "r": (),
    "ruby": ("rb",),
    "rust": ("rs",),
    "scala": (),
    "scheme": ("scm",),
    "shell": ("sh", "bash", "zsh"),
    "sql": (),
    "swift": (),
    "typescript": ("ts", "tsx"),
    "zig": (),
}
_OTHER_TAGS: dict[str, tuple[str, ...]] = {
    "console": ("shell-session", "terminal"),
    "css": (),
    "diff": ("patch",),
    "html": (),
    "ini": (),
    "json": ("jsonl",),
    "latex": ("tex",),
    "markdown": ("md",),
    "mermaid": (),
    "toml": (),
    "xml": (),
    "yaml": ("yml",),
}
_NAMES = {tag: name for name, tags in (_TAGS | _OTHER_TAGS).items() for tag in (name, *tags)}
_PART_OF = {"cpp": {"c"}, "cuda": {"c", "cpp"}, "typescript": {"javascript"}}
"""Languages whose programs are, more or less, also programs of the key."""

_BRACED = {"c", "cpp", "csharp", "cuda", "d", "dart", "go", "java", "javascript", "kotlin", "php", "rust", "scala"} | {
    "swift",
    "typescript",
    "zig",
}

_CODE_EDGE = re.compile(r"^\s*(?:#|//|/\*|\*|<\?)|[;{})]\s*(?://.*)?$|\*/\s*$")
"""How a line of a language with braces begins or ends, and prose rarely does."""

_STATEMENTS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
    ast.Import,
    ast.ImportFrom,
)
"""What prose that happens to be Python, such as one word, has none of."""

_UNREADABLE = (ValueError, RecursionError, MemoryError, OverflowError)
"""What `ast` raises beside syntax errors, for text that is nested too deeply or holds what cannot be encoded."""

_FILE = "<candidate>"
_QUIET = ("ignore", None, Warning, re.compile(_FILE), 0)
"""How `warnings` keeps the filter: setting it anew each time would be a race between threads."""


def find_language(problem: Problem | None) -> str:
    """Return the language of a problem's candidates; empty if they are not programs as far as one can tell."""
    if problem is None:
        return ""
    if problem.language:
        return _named(problem.language)
    kind = _named(problem.kind)
    return kind if kind in _TAGS else ""


def language_at(path: str, language: str, *, alone: bool) -> str:
    """Return the language of one file: by its extension, else the problem's if it is the only file.

    Empty if it is unknown.
    """
    found = _NAMES.get(PurePosixPath(path).suffix.removeprefix(".").lower(), "")
    if found in _PART_OF.get(language, set()):
        return language
    return found or (language if alone else "")


def is_tag(word: str) -> bool:
    """Return whether a word names a language."""
    return word.lower() in _NAMES


def tag_fits(tag: str, language: str) -> bool | None:
    """Return whether a code block's tag says that it is in a language; `None` when the tag says nothing."""
    told = _NAMES.get(tag.lower(), tag.lower() if tag.lower() == language else "")
    if not told or not language:
        return None
    return told == language or told in _PART_OF.get(language, set())


def looks_like(text: str, language: str) -> bool:
    """Return whether text without a fence is a program, not prose; sure only for Python and languages with braces."""
    if language == "python":
        return _is_python(text, _STATEMENTS)
    lines = [line for line in text.split("\n") if line.strip()]
    if language not in _BRACED or not lines:
        return False
    return "{" in text and all(_CODE_EDGE.search(line) for line in (lines[0], lines[-1]))


def check_language(path: str, text: str, language: str, *, parse: bool = True) -> None:
    """Parse what is to be Python, and recognise Python where a language with braces was asked for.

    Args:
        path: for the message.
        text: the file.
        language: what it should be in.
        parse: whether to parse Python.

    Raises:
        CandidateRejected: naming the line that Python cannot read, or the two languages.
    """
    if language == "python" and parse:
        _check_python(path, text)
    if language in _BRACED and _is_python(text, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        raise CandidateRejected(f"{path} is in python, {language} was asked for: write the program in {language}")


def _check_python(path: str, text: str) -> None:
    try:
        _require_syntax(text)
    except SyntaxError as err:
        shown = f": {quote(err.text)}" if err.text and err.text.strip() else ""
        raise CandidateRejected(
            f"{path} is not valid Python: line {err.lineno or 1}: {one_line(err.msg)}{shown}; mend that line"
        ) from err
    except _UNREADABLE as err:
        raise CandidateRejected(f"{path} cannot be parsed as Python ({one_line(str(err))}): nest less") from err


def _named(tag: str) -> str:
    return _NAMES.get(tag.lower(), tag.lower())


def _is_python(text: str, kinds: tuple[type[ast.stmt], ...]) -> bool:
    try:
        return any(isinstance(statement, kinds) for statement in _parse(text).body)
    except (SyntaxError, *_UNREADABLE):
        return False


def _require_syntax(text: str) -> None:
    """Raise what Python's grammar has against a text.

    A symbol table costs a quarter of a tree, because no object is made of each node. It also refuses what only the
    compiler minds, such as `return` outside of a function: then the grammar decides.
    """
    _ignore_warnings()
    try:
        symtable.symtable(text, _FILE, "exec")
    except (SyntaxError, *_UNREADABLE):
        _parse(text)


def _parse(text: str) -> ast.Module:
    _ignore_warnings()
    return ast.parse(text, filename=_FILE)


def _ignore_warnings() -> None:
    """Ignore Python's warnings of odd escapes while it reads: those are the candidate's own affair."""
    if _QUIET not in warnings.filters:
        warnings.filterwarnings("ignore", module=_FILE)
