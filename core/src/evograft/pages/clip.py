"""Texts of strangers, made fit to be shown: cut to a size, nothing invisible in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from evograft.secrets import mask

_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
_HIDDEN = re.compile("[\u0080-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
_ASTRAL = re.compile("[\U000e0000-\U000e0fff]")


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


def visible(text: str) -> str:
    """The text with control characters as pictures, and what reorders or hides text as its code: `<U+202E>`."""
    text = text.replace("\r\n", "\n").translate(_CONTROLS)
    return _ASTRAL.sub(_named, _HIDDEN.sub(_named, text))


def clip(text: str, *, lines: int, width: int = 400) -> Clip:
    """The first lines of a program, none longer than `width`."""
    # What will not be shown is not looked at: texts may be of any length.
    kept = text[: lines * (width + 1)].removesuffix("\n").split("\n")[:lines]
    total = text.count("\n") + (not text.endswith("\n"))
    return Clip("\n".join(short(line, width) for line in kept), max(0, total - len(kept)))


def program(files: Mapping[str, str], *, lines: int, most: int = 20) -> Program:
    """The first lines of the first files."""
    paths = sorted(files)
    shown = tuple((told(path, 200), clip(files[path], lines=lines)) for path in paths[:most])
    return Program(shown, left_out=len(paths) - len(shown))


def short(text: str, width: int = 400) -> str:
    """The text up to `width` characters."""
    return visible(text[:width]) + ("…" if len(text) > width else "")


def told(text: str, width: int = 1000) -> str:
    """What a person, a provider or a plugin has said: keys masked, up to `width` characters."""
    return short(mask(text[: 2 * width]), width)


def _named(match: re.Match[str]) -> str:
    return f"<U+{ord(match[0]):04X}>"
