"""The languages that programs may be written in, with the commands that compile and run them."""

from __future__ import annotations

from pathlib import Path

from evograft_ahc.text.messages import ContestUserError
from evograft_hookspecs import Value
from evograft_hookspecs.values import Text

PROGRAM = "program"
"""The file of what a compiler made, where it is run."""


class SourceLanguage(Value):
    """One of them."""

    name: Text
    suffixes: tuple[Text, ...]
    source: Text
    """The file that a source is compiled from."""
    compiler: Text
    """Or interpreter. For C++ that of the judge's profile is taken instead, with its flags."""
    version: tuple[Text, ...] = ()
    """Arguments with which the compiler says what it is."""
    compile: tuple[Text, ...] = ()
    """Arguments with which the compiler makes the file `program`, or only checks the source."""
    is_interpreted: bool = False
    """Whether the source itself is what runs."""

    def command(self, compiler: str) -> tuple[str, ...]:
        """Return the command that runs a program."""
        return (compiler, PROGRAM) if self.is_interpreted else (f"./{PROGRAM}",)


CPP = SourceLanguage(
    name="C++",
    suffixes=(".cpp", ".cc", ".cxx", ".c++"),
    source="main.cpp",
    compiler="g++",
)
RUST = SourceLanguage(
    name="Rust",
    suffixes=(".rs",),
    source="main.rs",
    compiler="rustc",
    version=("--version", "--verbose"),
    # As `cargo build --release` with the judge's `lto = true` calls it; gcc is found without the links in /etc.
    compile=(
        *("--edition", "2024", "--crate-name", "main", "-C", "opt-level=3", "-C", "lto", "--cfg", "atcoder"),
        *("-C", "linker=gcc", "--color", "never", "-o", PROGRAM, "main.rs"),
    ),
)
PYTHON = SourceLanguage(
    name="Python",
    suffixes=(".py",),
    source="main.py",
    compiler="python3",
    version=("-VV",),
    compile=("-m", "py_compile", "main.py"),
    is_interpreted=True,
)
LANGUAGES = (CPP, RUST, PYTHON)


def has_language(file: Path) -> bool:
    """Return whether a file is named as a program."""
    return any(file.suffix.lower() in language.suffixes for language in LANGUAGES)


def get_language(file: Path) -> SourceLanguage:
    """Return the language of a program by the suffix of its file.

    Raises:
        ContestUserError: no language has this suffix.
    """
    suffix = file.suffix.lower()
    found = next((language for language in LANGUAGES if suffix in language.suffixes), None)
    if found is None:
        known = ", ".join(suffix for language in LANGUAGES for suffix in language.suffixes)
        raise ContestUserError(
            f"{str(file)!r}: the suffix says what language a program is in, and {file.suffix!r} is none of {known}",
            ja=f"{str(file)!r}: 言語はファイルの拡張子で決まりますが、{file.suffix!r} は {known} のどれでもありません",
        )
    return found
