"""A program that a person wrote, from its file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from evograft_ahc.cpp.bundle import SourceBundle
from evograft_ahc.files.user_file import read_text
from evograft_ahc.judging.languages import CPP, SourceLanguage, get_language


@dataclass(frozen=True)
class SourceFile:
    """One program."""

    file: Path
    language: SourceLanguage
    source: str = field(repr=False)
    """As it is compiled and submitted: one file."""
    files: tuple[Path, ...]
    """Those that it was made of, its own first."""


def read_source_file(file: Path) -> SourceFile:
    """Read a program; one in C++ with the files that it includes.

    Raises:
        ContestUserError: a file cannot be read, or no language has its suffix.
    """
    language = get_language(file)
    if language != CPP:
        return SourceFile(file, language, read_text(file), (file,))
    bundle = SourceBundle(file)
    return SourceFile(file, language, bundle.source, bundle.files)
