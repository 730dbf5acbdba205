"""Small things done to text: cutting, quoting, telling line ends."""

from __future__ import annotations

from collections.abc import Callable, Collection

KEPT_IN_FRONT = 0.6
"""Of what is left of a text that is cut in the middle, the share before the cut."""


def one_line(text: str, limit: int = 300) -> str:
    """Return the text with its white space made single blanks, shortened at the end."""
    words = " ".join(text[: 4 * limit].split())
    return words if len(words) <= limit else f"{words[: limit - 1]}…"


def list_some(names: Collection[str], most: int = 20) -> str:
    """Return names separated by commas; of many the first ones, and how many there are more."""
    shown = ", ".join(list(names)[:most])
    return f"{shown}, … ({len(names) - most} more)" if len(names) > most else shown


def write_score(score: float | None, *, exact: bool) -> str:
    """Return a score as it stands in a prompt, or a dash.

    Args:
        score: `None`: there is none.
        exact: whether with so many digits that only equal ones look alike.
    """
    return "–" if score is None else f"{score:.{9 if exact else 6}g}"


def quote(text: str, limit: int = 80) -> str:
    """Return a piece of text as it stands in a message."""
    return repr(one_line(text, limit))


def cut(text: str, limit: int, note: Callable[[int], str]) -> str:
    """Return the text with as much left out of its middle as brings it to the limit.

    Empty if not even the note fits.

    Args:
        text: what to shorten.
        limit: characters of the result at most.
        note: the text where this many characters are left out.
    """
    if len(text) <= limit:
        return text
    room = limit - len(note(len(text))) - 2
    if room <= 0:
        return ""
    front = _line_end(text, int(room * KEPT_IN_FRONT))
    back = _line_start(text, len(text) - (room - int(room * KEPT_IN_FRONT)))
    return f"{text[:front]}\n{note(back - front)}\n{text[back:]}"


def _line_end(text: str, place: int) -> int:
    """Return an offset a little before this one if a line ends there, else this one."""
    found = text.rfind("\n", place - place // 4, place)
    return place if found < 0 else found


def _line_start(text: str, place: int) -> int:
    found = text.find("\n", place, place + (len(text) - place) // 4)
    return place if found < 0 else found + 1


def line_end_of(text: str) -> str:
    r"""Return how the lines of a text end: `\r\n` if any of them does, else `\n`."""
    return "\r\n" if "\r\n" in text else "\n"


def same_text(one: str, other: str) -> bool:
    """Return whether two texts differ only in line ends, blanks at the ends of lines, and blank lines at the end."""
    return one == other or _bare(one) == _bare(other)


def _bare(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip()
