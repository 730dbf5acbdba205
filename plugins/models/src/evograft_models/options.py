"""Parts that options of several drivers have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evograft_hookspecs import FrozenDict


def refuse_fields(*names: str) -> Callable[[FrozenDict[str, Any]], FrozenDict[str, Any]]:
    """Return a validator of extra fields that refuses those that the run sets."""

    def check(extra: FrozenDict[str, Any]) -> FrozenDict[str, Any]:
        for name in names:
            if name in extra:
                raise ValueError(f"{name!r} cannot be given here")
        return extra

    return check
