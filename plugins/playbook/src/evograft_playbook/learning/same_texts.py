"""Texts that say the same thing."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from evograft_novelty import shingles, similarity
from evograft_playbook.search.tokens import tokenize

RUN = 2
"""Words that stand together are compared, so that their order counts."""
LEAST = 0.5
"""Resemblance of two texts with the same words from which on they say the same."""
FILLERS = frozenset(
    ("a", "always", "an", "are", "be", "do", "is", "it", "its", "of", "please", "that", "the", "these", "this", "those")
)
"""English words that change nothing about a lesson."""
_SIGNS = re.compile(r"(?<!\S)-|[<>=+*/%&|^~@#$\\\[\]{}!]+(?=\s*\S)")
"""What means something in code, unlike the marks of a sentence: `a < b` is not `a > b`."""


@dataclass(frozen=True)
class TextWording:
    """A text as far as its likeness to others is concerned."""

    words: frozenset[str]
    runs: frozenset[int]

    @classmethod
    def of(cls, text: str) -> TextWording:
        found = [token for token in tokenize(text) if token not in FILLERS]
        return cls(frozenset((*found, *_SIGNS.findall(text))), shingles(found, RUN))


class SameTexts:
    """Finds texts that say the same, without comparing each with all others."""

    def __init__(self) -> None:
        self._wordings: dict[str, TextWording] = {}
        self._by_words: dict[frozenset[str], set[str]] = defaultdict(set)

    def put(self, name: str, text: str) -> None:
        """Add a text, or replace the one of that name."""
        before = self._wordings.get(name)
        if before is not None:
            self._by_words[before.words].discard(name)
        wording = self._wordings[name] = TextWording.of(text)
        self._by_words[wording.words].add(name)

    def find(self, text: str) -> list[str]:
        """Return the names of the texts that say the same, sorted."""
        wording = TextWording.of(text)
        near = self._by_words.get(wording.words, ())
        return sorted(name for name in near if is_same(self._wordings[name], wording))


def is_same(one: TextWording, other: TextWording) -> bool:
    """Return whether two texts differ in case, punctuation, filler words and the order of some words only.

    Jaccard's index of runs of words (Broder, "On the resemblance and containment of documents", 1997) alone would take
    "sort ascending" and "sort descending" in a long sentence for the same. A lesson that is merged by mistake is lost,
    one that is kept twice costs a line: so the words themselves have to be the same.
    """
    return one.words == other.words and similarity(one.runs, other.runs) >= LEAST
