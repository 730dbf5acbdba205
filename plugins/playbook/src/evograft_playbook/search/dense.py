"""The half of a search that looks at meaning: vectors of a driver, and how near they lie."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evograft.api import ServiceError
from evograft_hookspecs.drivers.embedding import EmbeddingDriver

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evograft_playbook.search.vectors import Vector, VectorFile

_AT_ONCE = 200
"""Texts between two writes: what a kill takes along."""
_ROUNDING = 1e-3
_MANY = 1000
"""Texts that take long enough to say so."""


class DenseIndex:
    """Texts by their vectors. A text is embedded once, also by several processes one after another.

    Args:
        driver: makes the vectors.
        file: keeps them; `None`: this process alone does.
        say: tells a person.
    """

    def __init__(self, driver: EmbeddingDriver, file: VectorFile | None, say: Callable[[str], None]) -> None:
        self._driver = driver
        self._file = file
        self._say = say
        self._vectors: dict[str, Vector] = {}
        self._texts: list[str] = []
        self._matrix: NDArray[np.float32] = np.zeros((0, 0), np.float32)

    def update(self, texts: list[str]) -> None:
        """Make these the texts of the index, in this order.

        Raises:
            LlmRetryable, LlmUnavailable: of the driver; what it has answered until then is kept.
            ServiceError: the driver answers nonsense.
        """
        if texts == self._texts:
            return
        have = {text: self._vectors[text] for text in texts if text in self._vectors}
        have |= self._read([text for text in texts if text not in have])
        self._vectors = have
        self._embed_missing(texts)
        if not _are_of_one_kind(self._vectors.values()):
            # What the file held was of something else.
            self._vectors = {}
            self._embed_missing(texts)
        if not _are_of_one_kind(self._vectors.values()):
            raise ServiceError("embedding: vectors of different lengths came back")
        self._matrix = np.stack([self._vectors[text] for text in texts]) if texts else np.zeros((0, 0), np.float32)
        # The rows of the matrix take the place of what it was made of.
        self._vectors = dict(zip(texts, self._matrix, strict=True))
        self._texts = list(texts)

    def cosines(self, question: str) -> NDArray[np.float32]:
        """Return how near the question each text lies, from -1 to 1.

        Raises:
            LlmRetryable, LlmUnavailable: of the driver.
            ServiceError: the driver answers nonsense.
        """
        (vector,) = self._embed((question,))
        if vector.shape != self._matrix.shape[1:]:
            raise ServiceError(
                f"embedding: a vector of {vector.size} numbers came back, the bullets' have {self._matrix.shape[1]}: "
                "delete the file of vectors beside the playbook"
            )
        # On one thread: those of a product of matrices wait for one another, on a busy machine 30 ms. Rounded, so that
        # texts that are the same are equally near, whatever row they are.
        near: NDArray[np.float32] = np.round(np.einsum("ij,j->i", self._matrix, vector), 6)
        return near

    def close(self) -> None:
        self._driver.close()
        if self._file is not None:
            self._file.close()

    def _embed_missing(self, texts: Sequence[str]) -> None:
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if len(missing) >= _MANY:
            self._say(f"search: {len(missing)} bullets are embedded, this once")
        for start in range(0, len(missing), _AT_ONCE):
            part = tuple(missing[start : start + _AT_ONCE])
            made = dict(zip(part, self._embed(part), strict=True))
            self._write(made, texts)
            self._vectors |= made

    def _embed(self, texts: tuple[str, ...]) -> list[Vector]:
        answer = self._driver.embed(texts)
        if len(answer) != len(texts) or len({len(vector) for vector in answer}) != 1:
            raise ServiceError(f"embedding: {len(texts)} texts were sent and {len(answer)} vectors came back")
        vectors = np.asarray(answer, np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ServiceError("embedding: a vector without a direction came back")
        return list(vectors / lengths)

    def _read(self, texts: list[str]) -> dict[str, Vector]:
        if self._file is None:
            return {}
        try:
            return self._file.read(texts)
        except sqlite3.Error as err:
            self._give_up_file(self._file, err)
            return {}

    def _write(self, made: dict[str, Vector], texts: Sequence[str]) -> None:
        if self._file is None:
            return
        try:
            self._file.write(made)
            self._file.forget_others(texts)
        except sqlite3.Error as err:
            self._give_up_file(self._file, err)

    def _give_up_file(self, file: VectorFile, err: sqlite3.Error) -> None:
        self._say(not_kept(err))
        file.close()
        self._file = None


def _are_of_one_kind(vectors: Collection[Vector]) -> bool:
    """Return whether all are as long as one another, and directions: of length 1."""
    if len({vector.shape for vector in vectors}) > 1:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return all(abs(float(vector @ vector) - 1) < _ROUNDING for vector in vectors)


def not_kept(err: sqlite3.Error) -> str:
    """Return the message for a file of vectors that is of no use."""
    return f"search: vectors are not kept ({err}): see to the file of vectors beside the playbook, or delete it"
