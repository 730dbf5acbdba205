"""Search in a playbook by words and by meaning."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Self

import numpy as np

from evograft_hookspecs import LlmRetryable, LlmUnavailable
from evograft_playbook.search.fusion import fuse, rank_places
from evograft_playbook.search.lexical import LexicalIndex
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.search.tokens import Cut, split_characters
from evograft_playbook.types import Bullet, Playbook, SearchQuery, SearchResult

if TYPE_CHECKING:
    from evograft_playbook.search.dense import DenseIndex
    from evograft_playbook.search.fusion import Floats

LONGEST = 10_000
"""Characters of a question that count: as many as a bullet may have."""
NO_DENSE = (
    "search: by words alone: this HybridSearch was made without its half for meaning; open_search opens both halves"
)
_BLANKS = dict.fromkeys(range(32), " ") | {0x7F: " "}

warn: Callable[[str], None] = logging.getLogger("evograft_playbook").warning


@dataclass(frozen=True)
class FoundBullet:
    """A bullet that was found, and how."""

    bullet: Bullet
    score: float
    rank: int
    """Both as of `SearchResult`."""
    lexical_rank: int | None
    """Its place among those that share words with the question."""
    dense_rank: int | None
    """Its place among those nearest in meaning; `None` where nothing was embedded."""


class HybridSearch:
    """A search for bullets in use. The index follows the playbook: what has not changed is not looked at again.

    Used from any thread; closed by its user, or used in a `with`.

    Args:
        options: of the search.
        dense: the half that looks at meaning, which this search closes; `None`: words alone are looked at, and a person
            is
            told once if the options want both halves. `evograft_playbook.search.open.open_search` opens both.
        say: tells a person, once each, why something is done by halves; the log of this module by default.
    """

    def __init__(
        self,
        options: SearchOptions | None = None,
        *,
        dense: DenseIndex | None = None,
        say: Callable[[str], None] = warn,
    ) -> None:
        self.options = options or SearchOptions()
        self._dense = dense
        self._say = say
        self._said: set[str] = set()
        self._is_dense_lost = False
        self._lexical = LexicalIndex(_cut(self.options))
        self._playbook: Playbook | None = None
        self._bullets: tuple[Bullet, ...] = ()
        self._contents: list[str] = []
        self._lock = Lock()

    def search(self, query: SearchQuery, playbook: Playbook) -> list[SearchResult]:
        """Return the bullets that fit best, best first.

        There are fewer than `top_k` where words alone are looked at and few share any.

        Raises:
            TypeError: the arguments are swapped, or of other types.
            ServiceError: the embedding driver answers nonsense.
        """
        found = self.find(query, playbook)
        return [SearchResult(bullet=each.bullet, score=each.score, rank=each.rank) for each in found]

    def find(self, query: SearchQuery, playbook: Playbook) -> list[FoundBullet]:
        """Search as `search` does, and return what each half says."""
        _require_order(query, playbook)
        question = query.query_text[:LONGEST].translate(_BLANKS).strip()
        with self._lock:
            self._follow(playbook)
            if not self._bullets or not any(map(str.isalnum, question)):
                return []
            return self._rank_texts(question, query.top_k)

    def close(self) -> None:
        if self._dense is not None:
            self._dense.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _follow(self, playbook: Playbook) -> None:
        if playbook is self._playbook:
            return
        # In the order of ids, which breaks ties.
        self._bullets = tuple(sorted(playbook.active, key=lambda bullet: bullet.id))
        self._contents = [bullet.content for bullet in self._bullets]
        self._lexical.update(self._contents)
        self._playbook = playbook

    def _rank_texts(self, question: str, top_k: int) -> list[FoundBullet]:
        options, shares = self.options, self._lexical.shares(question)
        dense = self._dense_places(question)
        lexical = rank_places(shares, above=0.0 if dense is None else options.lexical_floor)
        halves = [(1.0, lexical)]
        if dense is not None:
            halves = [(options.lexical_weight, lexical), (options.dense_weight, dense)]
        scores = fuse(halves, k=options.k)
        best = np.argsort(-scores, kind="stable")[:top_k]
        return [
            FoundBullet(self._bullets[at], float(scores[at]), rank, _rank(lexical, at), _rank(dense, at))
            for rank, at in enumerate(best, 1)
            if scores[at] > 0
        ]

    def _dense_places(self, question: str) -> Floats | None:
        if self.options.dense_weight == 0 or self._is_dense_lost:
            return None
        if self._dense is None:
            if self.options.embedding is not None:
                self._say_once(NO_DENSE)
            return None
        try:
            self._dense.update(self._contents)
            return rank_places(self._dense.cosines(question))
        except (LlmUnavailable, LlmRetryable) as err:
            self._is_dense_lost = isinstance(err, LlmUnavailable)
            self._say_once(f"search: by words alone: {err}")
            return None

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._say(text)


def _require_order(query: object, playbook: object) -> None:
    if not isinstance(query, SearchQuery) or not isinstance(playbook, Playbook):
        raise TypeError(
            "HybridSearch takes the query first and the playbook second: "
            f"search(query: SearchQuery, playbook: Playbook); got {type(query).__name__} and {type(playbook).__name__}"
        )


def _cut(options: SearchOptions) -> Cut:
    if options.japanese == "characters":
        return split_characters
    from evograft_playbook.search.japanese import cut_by_dictionary

    return cut_by_dictionary()


def _rank(place: Floats | None, at: int) -> int | None:
    return int(place[at]) if place is not None and np.isfinite(place[at]) else None
