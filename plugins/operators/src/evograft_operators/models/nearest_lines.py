"""Where in a program the lines may be that a model searched for and did not copy exactly."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from evograft_operators.models.text import quote

LINES = 3000
"""How much of a program is compared; likeness of lines is costly."""
WIDTH = 200


def describe_nearest(lines: Sequence[str], search: Sequence[str]) -> str:
    """Say, for the end of a sentence, where the search came nearest.

    Args:
        lines: the program.
        search: the lines looked for, which are not all there in this order; at least one is not blank.
    """
    wanted = [line.strip() for line in search]
    have = [line.strip()[:WIDTH] for line in lines[:LINES]]
    anchor = next(index for index, line in enumerate(wanted) if line)
    text = wanted[anchor][:WIDTH]
    if text not in have:
        found = get_close_matches(text, [line for line in have if line], n=1, cutoff=0.5)
        if not found:
            return "no line of it is like the first one"
        return f"the nearest line is {have.index(found[0]) + 1}: {quote(found[0])}"
    starts = [index - anchor for index, line in enumerate(have) if line == text]
    start = max(starts, key=lambda place: _count_agreeing(have, wanted, place))
    return _describe_difference(lines, search, start, _count_agreeing(have, wanted, start))


def _count_agreeing(have: Sequence[str], wanted: Sequence[str], start: int) -> int:
    """Count the lines from the beginning of the search that are as in the program."""
    for index, line in enumerate(wanted):
        place = start + index
        if (have[place] if 0 <= place < len(have) else "") != line[:WIDTH]:
            return index
    return len(wanted)


def _describe_difference(lines: Sequence[str], search: Sequence[str], start: int, agreeing: int) -> str:
    if agreeing == len(search):
        return f"lines {start + 1} to {start + agreeing} are like them but for their indentation"
    place = start + agreeing
    there = quote(lines[place]) if 0 <= place < len(lines) else "the end of the program"
    wanted = quote(search[agreeing])
    return f"near line {start + 1} they differ at line {place + 1}: {there} is there, {wanted} was searched"
