"""Islands of other engines: as many, with the temperaments that islands have here."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

from evograft_program.foreign.settings import without_none

TEMPERAMENTS = (
    ("refine", 0.3, "refine"),
    ("combine", 0.3, "combine"),
    ("balance", 0.8, "refine"),
    ("novel", 1.2, "novel"),
)
"""Name, temperature and strategy, as the plugin `islands` has them without options."""
GENERATION = 20
"""Trials of a generation, as `generation_size` says without being set."""


def map_islands(
    *, count: int | None, archive: int | None, migration_trials: float | None, rate: float | None
) -> dict[str, Any]:
    """Return options of the plugin `islands`.

    Args:
        count: how many islands there are.
        archive: how many elites there are on all of them together.
        migration_trials: trials between two migrations.
        rate: the share of an island that migrates; 0: nobody does.
    """
    elites = max(2, archive // (count or 1)) if archive else None
    every = max(1, round(migration_trials / GENERATION)) if migration_trials else None
    return without_none(
        islands=_name_islands(count) if count else None,
        elites=elites,
        migration_every=0 if rate == 0 else every,
        migrants=max(1, round(rate * elites)) if rate and elites else None,
    )


def _name_islands(count: int) -> list[dict[str, Any]]:
    """Return islands of all temperaments in turn; later ones of a kind have a number."""
    drawn = islice(cycle(TEMPERAMENTS), count)
    return [
        {
            "name": name if (round_ := number // len(TEMPERAMENTS)) == 0 else f"{name}{round_ + 1}",
            "temperature": temperature,
            "strategy": strategy,
        }
        for number, (name, temperature, strategy) in enumerate(drawn)
    ]
