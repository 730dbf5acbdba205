"""Keys that must not be seen: masked in every text that is shown or kept."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

MASK = "***"
_SHORTEST = 8
_NAMES = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_SHAPES = re.compile(
    r"""
      \b(?:sk|pk|rk)-[A-Za-z0-9_*.-]{4,}       # OpenAI, Anthropic, OpenRouter, also as providers shorten them
    | \bAIza[A-Za-z0-9_-]{10,}                 # Google
    | \b(?:gsk|xai|hf|ghp|gho|glpat)[_-][A-Za-z0-9_-]{8,}
    | \bAKIA[A-Z0-9]{12,}                      # Amazon
    | \bey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+
    | (?<=Bearer\ )[^\s"',;]+
    | (?<=://)[^\s/@:]*:[^\s/@]+(?=@)          # user and password of an address
    """,
    re.VERBOSE | re.IGNORECASE,
)


def mask(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """The text without keys: neither those of the environment nor what is shaped like one."""
    # The longest first: a key that begins with another one is not left half in sight.
    for value in sorted(_values(environment), key=len, reverse=True):
        text = text.replace(value, MASK)
    return _SHAPES.sub(MASK, text)


def _values(environment: Mapping[str, str]) -> set[str]:
    return {value for name, value in environment.items() if len(value) >= _SHORTEST and _NAMES.search(name)}
