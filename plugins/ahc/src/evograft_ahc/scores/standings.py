"""The final standings of a contest, from a file of the user's, and where a score would stand in them."""

from __future__ import annotations

import csv
import io
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from evograft_ahc.contests.task import Direction, sign_of
from evograft_ahc.files.user_file import read_text
from evograft_ahc.text.messages import ContestUserError

COLUMNS = ("rank", "score")
PERFORMANCE = "performance"


@dataclass(frozen=True)
class RankedScore:
    """A row of the file."""

    rank: int
    score: float
    performance: float | None


@dataclass(frozen=True)
class RankPlacement:
    """Where a score would stand."""

    rank: int
    performance: float | None
    """`None`: the file does not say."""
    is_beyond: bool = False
    """Whether no row is better, or none is worse: then performance is only known to be no worse, or no better."""


class ContestStandings:
    """Rows with different scores, the best first.

    Args:
        rows: one or more.
        direction: in which scores are better.
    """

    def __init__(self, rows: Sequence[RankedScore], direction: Direction) -> None:
        self._sign = sign_of(direction)
        by_score = {row.score: row for row in sorted(rows, key=lambda row: -row.rank)}  # of equal scores the best rank
        self._rows = sorted(by_score.values(), key=lambda row: -self._sign * row.score)
        self._keys = [-self._sign * row.score for row in self._rows]

    @property
    def last_rank(self) -> int:
        return self._rows[-1].rank

    def place(self, score: float) -> RankPlacement:
        """Return where a score would stand: between two rows, in proportion to their scores."""
        key = -self._sign * score
        first, after = bisect_left(self._keys, key), bisect_right(self._keys, key)
        if first < after:
            return RankPlacement(self._rows[first].rank, self._rows[first].performance)
        if first == 0:
            return RankPlacement(1, self._rows[0].performance, is_beyond=True)
        if first == len(self._rows):
            return RankPlacement(self.last_rank + 1, self._rows[-1].performance, is_beyond=True)
        better, worse = self._rows[first - 1], self._rows[first]
        share = (key - self._keys[first - 1]) / (self._keys[first] - self._keys[first - 1])
        rank = better.rank + max(1, math.ceil(share * (worse.rank - better.rank)))
        if better.performance is None or worse.performance is None:
            return RankPlacement(rank, None)
        return RankPlacement(rank, better.performance + share * (worse.performance - better.performance))


def read_standings(file: Path, direction: Direction) -> ContestStandings:
    """Read a CSV file whose first line names its columns: `rank`, `score` and, where it is known, `performance`.

    Raises:
        ContestUserError: the file cannot be read, a row is not in order, or a worse rank has a better score.
    """
    table = csv.DictReader(io.StringIO(read_text(file).removeprefix("\ufeff")))
    missing = [name for name in COLUMNS if name not in (table.fieldnames or ())]
    if missing:
        raise ContestUserError(
            f"{str(file)!r} has no column {missing[0]!r}: its first line has to name rank, score and performance",
            ja=f"{str(file)!r} に列 {missing[0]!r} がありません。1 行目に rank、score、performance を書いてください",
        )
    rows = [_read_row(file, table.line_num, row) for row in table]
    if not rows:
        raise ContestUserError(f"{str(file)!r} has no rows", ja=f"{str(file)!r} に行がありません")
    _ensure_ranks_follow_scores(file, rows, direction)
    return ContestStandings(rows, direction)


def _ensure_ranks_follow_scores(file: Path, rows: Sequence[RankedScore], direction: Direction) -> None:
    """Refuse standings of which places would be nonsense; equal scores may have several ranks."""
    sign = sign_of(direction)
    for better, worse in pairwise(sorted(rows, key=lambda row: (-sign * row.score, row.rank))):
        if better.rank > worse.rank:
            more, more_ja = ("more", "大きい") if sign > 0 else ("less", "小さい")
            raise ContestUserError(
                f"{str(file)!r}: rank {better.rank} has a better score ({better.score:.15g}) than rank {worse.rank} "
                f"({worse.score:.15g}), because {more} is better in this contest: put ranks or scores right",
                ja=f"{str(file)!r}: {better.rank} 位の得点 ({better.score:.15g}) が {worse.rank} 位の得点 "
                f"({worse.score:.15g}) より良くなっています (このコンテストは{more_ja}ほど良い)。"
                "順位か得点を直してください",
            )


def _read_row(file: Path, line: int, row: dict[str, str | None]) -> RankedScore:
    rank, score, performance = ((row.get(name) or "").strip() for name in (*COLUMNS, PERFORMANCE))
    try:
        return RankedScore(int(rank), _read_number(score), _read_number(performance) if performance else None)
    except ValueError as err:
        raise ContestUserError(
            f"{str(file)!r}, line {line}: rank has to be a whole number, score and performance numbers without commas",
            ja=f"{str(file)!r} の {line} 行目: rank は整数、score と performance は桁区切りのない数にしてください",
        ) from err


def _read_number(text: str) -> float:
    number = float(text)
    if math.isfinite(number):
        return number
    raise ValueError(text)
