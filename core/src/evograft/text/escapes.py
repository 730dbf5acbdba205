r"""Texts of strangers without what steers a terminal, reorders or hides text. Public.

For people it is shown as pictures and codes, such as `␛` and `<U+202E>`; in JSON as `\u202e`, which is the same text.
"""

from __future__ import annotations

import re

from evograft.text.masking import mask

_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
_HIDDEN = "\u0080-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
_INVISIBLE = re.compile(f"[{_HIDDEN}]")
LONGEST = 300
"""Characters of a text in a message."""
UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f{_HIDDEN}]")


def escape_controls(text: str) -> str:
    """Return the text with control characters as pictures, and what reorders or hides text as its code: `<U+202E>`."""
    return _INVISIBLE.sub(_code, text.replace("\r\n", "\n").translate(_CONTROLS))


def truncate(text: str, width: int = 400) -> str:
    """Return the text up to `width` characters."""
    return escape_controls(text[:width]) + ("…" if len(text) > width else "")


def sanitize(text: str, width: int = 1000) -> str:
    """Return what a person, a provider or a plugin has said: keys masked, up to `width` characters."""
    return truncate(mask(text[: 2 * width]), width)


def one_line(text: object) -> str:
    """Return a text for a message: one line of bounded length that any terminal and log can take, keys masked."""
    # Masked before it is cut: half a key is not recognised any more. The first cut bounds the work.
    line = mask(" ".join(str(text)[:20_000].split()))
    line = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def escaped(text: str) -> str:
    """Return JSON with nothing unsafe in it, which reads back as the same; line ends and tabs stay."""
    return UNSAFE.sub(_escape, text)


def _code(match: re.Match[str]) -> str:
    return f"<U+{ord(match[0]):04X}>"


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be").hex()
    # Beyond the basic plane JSON writes two halves.
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
