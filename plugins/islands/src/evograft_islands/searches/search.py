"""A search: a way to choose the parents of the next trial."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from evograft_hookspecs import Context, Selection, Trial
from evograft_islands.elite import Elite
from evograft_islands.options import IslandOptions


class Search(ABC):
    """A fold over the committed trials, and a choice that depends on nothing else but `ctx.rng`."""

    @property
    @abstractmethod
    def islands(self) -> int:
        """Return how many islands its selections name: 0 to this number."""

    @property
    def incumbent(self) -> int | None:
        """Return what every trial is compared with, whoever selects it; `None`: nothing, or each with another one."""
        return None

    @abstractmethod
    def tell(self, ctx: Context, trial: Trial, *, home: int | None) -> None:
        """Fold one row in; nothing is drawn.

        Args:
            ctx: of the call that hands the row over, for facts that are the same in each call.
            trial: the row.
            home: the island of this search that it was selected for; `None`: another search selected it, or it is a
                seed.
        """

    @abstractmethod
    def select(self, ctx: Context, *, turn: int) -> Selection:
        """Return where the next trial starts from.

        Args:
            ctx: of the call.
            turn: a number by which islands take turns.
        """


def build_selection(place: IslandOptions, parents: Iterable[Elite]) -> Selection:
    """Return where a trial of a search with a single place starts from."""
    return Selection(
        parents=tuple(elite.number for elite in parents),
        island_name=place.name,
        temperature=place.temperature,
        strategy=place.strategy,
    )


def find_language(ctx: Context) -> str:
    """Return the language of the problem; empty: it has none."""
    return ctx.problem.language if ctx.problem else ""
