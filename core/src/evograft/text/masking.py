"""Keys that must not be seen: masked in every text that is shown or kept."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

MASK = "***"
_SHORTEST = 8
_SHORTEST_NAMED = 4
_SURELY = 16
"""No key is shorter; a password may be an ordinary word, which a program may hold for reasons of its own."""
_NAMES = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_PROVIDERS = re.compile("API_?KEY$", re.IGNORECASE)
_SHAPES = re.compile(
    r"""
      \b(?:sk|pk|rk)-[A-Za-z0-9_*.-]{4,}       # OpenAI, Anthropic, OpenRouter, also as providers shorten them
    | \bAIza[A-Za-z0-9_-]{10,}                 # Google
    | \b(?-i:gsk|xai|hf|gh[oprsu]|github_pat|glpat)[_-][A-Za-z0-9_-]{8,}  # in capitals they begin variables' names
    | \bAKIA[A-Z0-9]{12,}                      # Amazon
    | \bey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+
    | (?<=Bearer\ )[^\s"',;]+
    | (?<=://)[^\s/@:]*:[^\s/@]+(?=@)          # user and password of an address
    """,
    re.VERBOSE | re.IGNORECASE,
)


def mask(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the text without keys: neither those of the environment nor what is shaped like one."""
    secret = (value for name, value in environment.items() if _NAMES.search(name) and len(value) >= _SHORTEST)
    return _SHAPES.sub(MASK, _without(text, _longest_first(secret)))


class Keys:
    """The keys of a run, read from the environment once.

    They are the long values of variables that are named like secrets, and all values, but for plain words, of those
    that hold a key for a provider: by their name, or because an option says so.

    Args:
        named: the variables that options name.
        environment: where they are looked up.
    """

    def __init__(self, named: Iterable[str] = (), environment: Mapping[str, str] = os.environ) -> None:
        holders = {*named, *filter(_PROVIDERS.search, environment)}
        self._by_variable = {
            **{name: value for name, value in environment.items() if _NAMES.search(name) and len(value) >= _SURELY},
            **{name: value for name in holders if _is_key(value := environment.get(name, "").strip())},
        }
        self._values = _longest_first(self._by_variable.values())
        self._written = tuple(form for value in self._values for form in {value, *_in_json(value)})

    @classmethod
    def of(cls, *settings: Any) -> Self:
        """Return the keys of resolved pipelines, given as plain data."""
        return cls(name for data in settings for name in _named_in(data))

    def masked(self, text: str) -> str:
        """Return the text without keys; what is only shaped like one stays, because a program may hold it."""
        return _without(text, self._values)

    def shown(self, text: str) -> str:
        """Return the text for a message, which is without what is shaped like a key, too."""
        return mask(self.masked(text))

    def found_in(self, text: str) -> str | None:
        """Return the variable whose key stands in a text; `None`: no key does."""
        return next((name for name, value in self._by_variable.items() if value in text), None)

    def masked_lines(self, body: str) -> str:
        """Return lines of JSON, the texts in them without keys: the same object if there is none, as usual."""
        if not any(form in body for form in self._written):
            return body
        return "\n".join(_dumped(self._walked(json.loads(line))) for line in body.split("\n"))

    def _walked(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.masked(value)
        if isinstance(value, dict):
            return {key: self._walked(item) for key, item in value.items()}
        return [self._walked(item) for item in value] if isinstance(value, list) else value


def _is_key(value: str) -> bool:
    """Return whether a value may be a key: not one such as EMPTY or 0, which programs are full of."""
    is_plain = value.isalpha() or value.isdigit()
    return len(value) >= (_SURELY if is_plain else _SHORTEST_NAMED)


def _named_in(data: Any) -> Iterator[str]:
    """Return the variables that hold keys: options that name one end in `_env`."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if str(key).endswith("_env"):
                yield from (each for each in _listed(value) if isinstance(each, str))
            yield from _named_in(value)
    elif isinstance(data, (list, tuple)):
        for item in data:
            yield from _named_in(item)


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def _longest_first(values: Iterable[str]) -> tuple[str, ...]:
    """Sort long keys first, so that a key that begins with another one is not left half in sight."""
    return tuple(sorted(set(values), key=len, reverse=True))


def _without(text: str, values: Iterable[str]) -> str:
    for value in values:
        text = text.replace(value, MASK)
    return text


def _in_json(value: str) -> tuple[str, str]:
    return json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
