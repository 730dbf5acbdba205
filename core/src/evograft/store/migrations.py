"""Logs of earlier versions of evograft, rewritten as this one reads them."""

from __future__ import annotations

import json
from collections.abc import Callable

from evograft_hookspecs.drivers.store import NewRow, Row


def _with_fingerprint(row: Row) -> NewRow:
    """Rewrite 1 as 2: next to each trial is what its near duplicates share; earlier ones have exact duplicates only."""
    if row.kind != "trial":
        return NewRow(kind=row.kind, key=row.key, body=row.body)
    first, _, trial = row.body.partition("\n")
    return NewRow(kind=row.kind, key=row.key, body=f"{json.dumps({**json.loads(first), 'fingerprint': ''})}\n{trial}")


def _with_score(row: Row) -> NewRow:
    """Rewrite 2 as 3: next to each trial is its score, for a quick look. Writing compresses long texts."""
    if row.kind != "trial":
        return NewRow(kind=row.kind, key=row.key, body=row.body)
    first, _, trial = row.body.partition("\n")
    return NewRow(
        kind=row.kind, key=row.key, body=f"{json.dumps({**json.loads(first), 'score': score_in(trial)})}\n{trial}"
    )


def score_in(trial: str) -> float | None:
    """Return the score of a trial in JSON; estimates of pruned trials do not count."""
    evaluation = json.loads(trial)["evaluation"]
    score: float | None = evaluation["score"] if evaluation["status"] == "ok" else None
    return score


MIGRATIONS: dict[int, Callable[[Row], NewRow]] = {1: _with_fingerprint, 2: _with_score}
"""What becomes of a row, by the schema version that it is of."""


def migrated(row: Row, *, version: int) -> NewRow:
    """Return a row of an earlier version as the newest has it."""
    new = NewRow(kind=row.kind, key=row.key, body=row.body)
    for step in range(version, max(MIGRATIONS) + 1):
        new = MIGRATIONS[step](Row(seq=row.seq, kind=new.kind, key=new.key, body=new.body))
    return new
