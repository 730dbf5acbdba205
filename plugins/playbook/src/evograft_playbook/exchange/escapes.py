r"""What steers a terminal, reorders or hides text, written as `\uXXXX`: in JSON that is the same text."""

from __future__ import annotations

import re

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")


def escaped(text: str) -> str:
    """The text with nothing unsafe in it; line ends and tabs stay."""
    return UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
