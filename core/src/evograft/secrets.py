"""Keys that must not be seen: masked in every text that is shown or kept."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

MASK = "***"
_SHORTEST = 8
_SURELY = 16
"""No key is shorter; a password may be an ordinary word, which a program may hold for reasons of its own."""
_NAMES = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_SHAPES = re.compile(
    r"""
      \b(?:sk|pk|rk)-[A-Za-z0-9_*.-]{4,}       # OpenAI, Anthropic, OpenRouter, also as providers shorten them
    | \bAIza[A-Za-z0-9_-]{10,}                 # Google
    | \b(?-i:gsk|xai|hf|ghp|gho|glpat)[_-][A-Za-z0-9_-]{8,}  # in capitals they begin the names of variables
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


def without_keys(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """The text without the keys of the environment; what is only shaped like one stays, since a program may hold it."""
    for value in sorted(_values(environment, shortest=_SURELY), key=len, reverse=True):
        text = text.replace(value, MASK)
    return text


def key_in(text: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """The variable of the environment whose key stands in a text; `None`: no key does."""
    names = (name for name in environment if _values({name: environment[name]}, shortest=_SURELY))
    return next((name for name in names if environment[name] in text), None)


def _values(environment: Mapping[str, str], *, shortest: int = _SHORTEST) -> set[str]:
    secret = (environment[name] for name in environment if _NAMES.search(name))
    return {value for value in secret if len(value) >= shortest}
