"""The half of a search that looks at words: BM25."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from evograft_playbook.search.tokens import Cut, tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LexicalIndex:
    """Texts by their words. A text is cut once, however often the index is brought up to date.

    Args:
        japanese: cuts what is Japanese.
    """

    def __init__(self, japanese: Cut) -> None:
        self._japanese = japanese
        self._cut: dict[str, list[str]] = {}
        self._vocabulary: dict[str, int] = {}
        self._bm25: Any = None
        self._texts: list[str] = []

    def update(self, texts: list[str]) -> None:
        """Make these the texts of the index, in this order."""
        if texts == self._texts:
            return
        self._texts = list(texts)
        self._cut = {text: self._cut.get(text) or tokenize(text, self._japanese) for text in texts}
        number: dict[str, int] = {}
        numbered = [[number.setdefault(token, len(number)) for token in self._cut[text]] for text in texts]
        self._vocabulary = number
        self._bm25 = _bm25(numbered, number) if number else None

    def shares(self, question: str) -> NDArray[np.float32]:
        """Return how much of the question each text covers by BM25, from 0 to 1.

        A rare word counts more than a common one.
        """
        asked = tokenize(question, self._japanese)
        known = [self._vocabulary[token] for token in asked if token in self._vocabulary]
        if not known:
            return np.zeros(len(self._texts), np.float32)
        scores: NDArray[np.float32] = self._bm25.get_scores_from_ids(known)
        return scores / self._best(known, unknown=len(asked) - len(known))

    def _best(self, known: list[int], *, unknown: int) -> np.float32:
        """Return the score of a text that says nothing but the question's words, over and over.

        A word that no text has counts as one that a single text has: with its own rarity, a playbook of few bullets
        would cover next to nothing of any question.
        """
        starts = self._bm25.scores["indptr"]
        counts = starts[np.add(known, 1)] - starts[known]
        return np.float32(self._rarity(counts).sum() + unknown * self._rarity(np.ones(1))[0])

    def _rarity(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the inverse document frequency as bm25s has it, of words that are in a given number of texts."""
        rarity: NDArray[np.float64] = np.log1p((len(self._texts) - counts + 0.5) / (counts + 0.5))
        return rarity


def _bm25(numbered: list[list[int]], vocabulary: dict[str, int]) -> Any:
    import bm25s

    # It sets its logger to DEBUG, which would fill the log of whoever keeps one.
    bm25s.logger.setLevel(logging.WARNING)
    # With another backend, which is taken where scipy or numba happens to be installed, sums might differ in a last
    # bit.
    index = bm25s.BM25(method="lucene", csc_backend="numpy")
    index.index((numbered, vocabulary), create_empty_token=False, show_progress=False)
    return index
