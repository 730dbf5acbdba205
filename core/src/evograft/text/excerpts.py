"""Texts of strangers, made fit to be shown: cut to a size, nothing invisible in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evograft.text.escapes import sanitize, truncate


@dataclass(frozen=True)
class Clip:
    """The beginning of a text."""

    text: str
    left_out: int = 0
    """Lines that are not shown."""


@dataclass(frozen=True)
class Program:
    """The beginning of a program."""

    files: tuple[tuple[str, Clip], ...] = ()
    """Paths and texts."""
    left_out: int = 0
    """Files that are not shown."""


def clip(text: str, *, lines: int, width: int = 400) -> Clip:
    """Return the first lines of a program, none longer than `width`."""
    # What will not be shown is not looked at: texts may be of any length.
    kept = text[: lines * (width + 1)].removesuffix("\n").split("\n")[:lines]
    total = text.count("\n") + (not text.endswith("\n"))
    return Clip("\n".join(truncate(line, width) for line in kept), max(0, total - len(kept)))


def program(files: Mapping[str, str], *, lines: int, most: int = 20) -> Program:
    """Return the first lines of the first files."""
    paths = sorted(files)
    shown = tuple((sanitize(path, 200), clip(files[path], lines=lines)) for path in paths[:most])
    return Program(shown, left_out=len(paths) - len(shown))
