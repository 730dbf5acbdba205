"""Which artifacts a row of a log names: what has to go along when it is copied."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from evograft_hookspecs.drivers.store import Row

KEPT = "kept_digest"
"""The field of an evaluation that names what it has kept."""


def artifacts_named_in(row: Row) -> frozenset[str]:
    """Return the hashes of the artifacts that a row names."""
    if row.kind == "final":
        return frozenset(_kept_in(json.loads(json.loads(row.body)["evaluation"])))
    if row.kind != "trial":
        return frozenset()
    first, _, trial = row.body.partition("\n")
    files = (digest for digests in json.loads(first)["artifacts"] for digest in digests.values())
    # Most trials keep nothing, and need not be parsed.
    return frozenset((*files, *(_kept_in(json.loads(trial)) if KEPT in trial else ())))


def _kept_in(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        if data.get(KEPT):
            yield data[KEPT]
        for value in data.values():
            yield from _kept_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from _kept_in(value)
