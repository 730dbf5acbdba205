"""The pattern that a message is searched for: whatever may begin something that is not prose."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evograft_agent.xml.scanner import CALLING, NAME

_SNAKE = r"[A-Za-z][A-Za-z0-9.-]*+_[\w.-]*+"


def build_event_pattern(tools: Iterable[str], parameters: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern that a message is searched for: all else is prose.

    Each alternative has one group, which names it.
    """
    known, typical = _any_of({*tools, *CALLING}), _any_of({*parameters, "parameter"})
    ours = rf"(?i:{known}|thinking|think)"
    return re.compile(
        rf"""^[ \t]*+(?:
            (?P<fence>`{{3,}}+(?=[^`\n]*+$)|~{{3,}}+)
            |(?P<block_quote>>)
            |(?P<unknown_element><(?!\s*+{ours}[\s=/>])\s*+
                (?:{_SNAKE}[^<>]*+>\s*+<\s*+[A-Za-z_]|{NAME}\s*+>\s*+<\s*+(?i:{typical})\s*+>))
            |(?:(?:<\|\w++\|>|\[TOOL_CALLS\])\s*+)?+(?P<json>[\[{{](?=\s*+["'\[{{]))
            |(?P<applied>{known})(?=\s*+\(?+\s*+\{{\s*+["'}}]))
        |(?P<ticks>`++)
        |(?P<aside><!--|<!\[CDATA\[)
        |<\s*+(?:
            (?P<thinking>(?i:thinking|think))\s*+>
            |/\s*+(?P<thought>(?i:thinking|think))\s*+>
            |(?P<tag>(?i:{known}))(?=[\s=/>]|\Z)
            |(?P<unknown_element_in_prose>{_SNAKE}\s*+>\s*+<\s*+(?i:{typical})\s*+>))""",
        re.MULTILINE | re.VERBOSE,
    )


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
