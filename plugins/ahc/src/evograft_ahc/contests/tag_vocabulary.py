"""The tags that contests are described with, and how else people write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from evograft_ahc.contests.past import ContestFact, tag_of


class ContestTag(ContestFact):
    """A word of the vocabulary."""

    name: str
    ja: str
    """What it is called in Japanese."""
    meaning: str
    synonyms: tuple[str, ...]
    """Other words for it, in either language."""

    def spellings(self) -> tuple[str, ...]:
        return (self.name, self.name.replace("_", " "), self.ja, *self.synonyms)


@cache
def load_vocabulary() -> Mapping[str, ContestTag]:
    """Every tag that the packaged contests may have, by its name."""
    text = (files("evograft_ahc") / "contests" / "tags.json").read_text(encoding="utf-8")
    return {tag.name: tag for tag in map(ContestTag.model_validate, json.loads(text))}


def get_canonical_tag(text: str) -> str:
    """Return the name in the vocabulary of what a text means; a word of the user's own is written like a tag."""
    written = tag_of(text)
    return _names().get(written, written)


def get_spellings(text: str) -> tuple[str, ...]:
    """Return how else a tag is written; a word of the user's own in the two ways that a tag can be."""
    tag = load_vocabulary().get(get_canonical_tag(text))
    return tag.spellings() if tag else (text, text.replace("_", " "))


@cache
def _names() -> Mapping[str, str]:
    return {tag_of(spelling): tag.name for tag in load_vocabulary().values() for spelling in tag.spellings()}
