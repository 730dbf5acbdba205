"""The version of a language that a project's files ask for, among those that there are images of.

Versions are compared as far as images tell them apart: `3.12` of Python, `22` of Node.js, `21` of Java.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

COMPARATOR = re.compile(r"(>=|<=|===?|~=|!=|>|<|\^|~|=)?\s*v?(\d+(?:\.\d+)*)((?:\.[x*])*)", re.IGNORECASE)
LONGEST = 200
"""Characters of what a file asks for that are looked at."""

Version = tuple[int, ...]


def choose_version(known: Sequence[str], usual: str, asked: Iterable[str]) -> str | None:
    """Return the usual version if it will do, else the lowest newer one, else the newest older one.

    Args:
        known: those that there are, such as `3.11`, oldest first, all as exact as one another.
        usual: the one that is taken where nothing is asked for.
        asked: in the words of the files, such as `>=3.12,<4` or `^20 || >=22`; what asks for less counts later, and
            what
            leaves none does not count.

    Returns:
        One of those known; `None` if the first that asks for any leaves none.
    """
    left = list(known)
    for words in asked:
        fitting = [version for version in left if _fits(version, words[:LONGEST])]
        if not fitting and left == list(known):
            return None
        left = fitting or left
    newer = [version for version in left if _parts(version) > _parts(usual)]
    return usual if usual in left else [*newer, left[-1]][0]


def _fits(version: str, words: str) -> bool:
    return any(_fits_all(_parts(version), alternative) for alternative in words.split("||"))


def _fits_all(version: Version, words: str) -> bool:
    return all(_compare(version, sign, _parts(number)) for sign, number, _ in COMPARATOR.findall(words))


def _compare(version: Version, sign: str, asked: Version) -> bool:
    """Compare as far as both are told: a release between two known versions belongs to the lower one."""
    exact = len(version)
    start, is_within = asked[:exact], len(asked) > exact and any(asked[exact:])
    padded = start + (0,) * (exact - len(start))
    shared = max(1, len(asked) - 1)
    same = version[: len(start)] == start
    verdicts = {
        ">=": version >= padded,
        ">": version >= padded if is_within else version[: len(start)] > start,
        "<=": version[: len(start)] <= start,
        "<": version <= padded if is_within else version < padded,
        "^": version >= padded and version[0] == start[0],
        "~=": version >= padded and version[:shared] == start[:shared],
        "!=": True,
    }
    return verdicts.get(sign, same)


def _parts(version: str) -> Version:
    return tuple(map(int, version.split(".")))
