"""The words of a page, in the languages that there are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

LANGUAGES = ("en", "ja")


class Catalog:
    """The words of one language.

    Args:
        language: one of `LANGUAGES`.
        package: has the folder `words` with a YAML file a language.
    """

    def __init__(self, language: str, package: str) -> None:
        self.language = language
        self._words = load_catalog(language, package)

    def __call__(self, key: str, **values: object) -> str:
        """Return a text with its values filled in; `n` decides between singular and plural.

        Raises:
            KeyError: there is no such text, or it asks for another value.
        """
        text = self._words[key]
        if isinstance(text, Mapping):
            text = text["one" if values["n"] in (1, "1") else "other"]
        return str(text).format(**values)


@cache
def load_catalog(language: str, package: str) -> Mapping[str, Any]:
    """Return all texts of a language by key; those with a plural are mappings."""
    text = files(package).joinpath("words", f"{language}.yaml").read_text(encoding="utf-8")
    words: dict[str, Any] = yaml.safe_load(text)
    return words


def usual_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the user's locale, English where we have no other."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((environment[name] for name in names if environment.get(name)), "")
    return next((language for language in LANGUAGES if locale.lower().startswith(language)), "en")
