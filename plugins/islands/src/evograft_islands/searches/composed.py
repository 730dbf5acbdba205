"""The composed search: several searches share the trials of a run, and each is told of all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from evograft_hookspecs import Context, Selection, Trial
from evograft_islands.options import CompositionOptions, MemberOptions
from evograft_islands.searches.search import Search
from evograft_islands.searches.standing import Standings

GOLDEN = 0.6180339887498949
"""Multiples of it, modulo 1, fill the interval evenly however many there are, so shares are kept at all times."""


@dataclass(frozen=True)
class SearchMember:
    """A search that takes part, and where its islands begin among those of all members."""

    options: MemberOptions
    search: Search
    first_island: int


class ComposedSearch(Search):
    """Gives each trial to one of its members: in turns, by share, by schedule, or by a bandit.

    A member that has stalled makes way for those that have not; when all have, they begin anew.

    Args:
        options: how trials are divided.
        searches: the members, in the order of their options.
    """

    def __init__(self, options: CompositionOptions, searches: Sequence[Search]) -> None:
        self._options = options
        firsts = accumulate((search.islands for search in searches), initial=0)
        self.members = tuple(map(SearchMember, options.members, searches, firsts))
        self.standings = Standings(len(self.members), stalled_after=options.stalled_after, memory=options.memory)
        self._places = {member.options.title: place for place, member in enumerate(self.members)}

    @property
    def islands(self) -> int:
        return sum(member.search.islands for member in self.members)

    @property
    def incumbent(self) -> int | None:
        return next((found for each in self.members if (found := each.search.incumbent) is not None), None)

    def tell(self, ctx: Context, trial: Trial, *, home: int | None) -> None:  # noqa: ARG002 - told by the name
        author = self._find_author(trial)
        for place, member in enumerate(self.members):
            own = trial.selection.island - member.first_island if trial.selection and place == author else None
            member.search.tell(ctx, trial, home=own)
        dollars = ctx.history.spent(trial.number) if self._options.by == "bandit" and author is not None else 0.0
        self.standings.tell(trial, author, dollars=dollars)

    def select(self, ctx: Context, *, turn: int) -> Selection:
        place = self._choose(ctx, turn)
        member = self.members[place]
        title = member.options.title
        # A turn of its own: the trials of a member are no regular part of all, and its islands are to be drawn alike.
        chosen = member.search.select(ctx, turn=ctx.rng.getrandbits(32))
        name = title if member.search.islands == 1 else f"{title} · {chosen.island_name}"
        incumbent = self.incumbent if chosen.incumbent is None else chosen.incumbent
        island = member.first_island + chosen.island
        return chosen.model_copy(
            update={"member": title, "island": island, "island_name": name, "incumbent": incumbent}
        )

    def _choose(self, ctx: Context, turn: int) -> int:
        active = self.standings.active
        match self._options.by:
            case "share":
                return active[find_share([self.members[place].options.share for place in active], turn)]
            case "schedule":
                scheduled = find_phase([member.options.trials for member in self.members], turn)
                return min(active, key=lambda place: (place - scheduled) % len(self.members))
            case "bandit":
                shares = [member.options.share for member in self.members]
                return self.standings.draw(ctx.rng, shares, untried=find_share)
        return active[0]

    def _find_author(self, trial: Trial) -> int | None:
        """Return the place of the member that selected a trial; `None`: it is a seed, or older than these members."""
        return None if trial.selection is None else self._places.get(trial.selection.member)


def find_share(shares: Sequence[float], turn: int) -> int:
    """Return the place whose turn it is, so that after any number of turns each has had about its share."""
    ends = list(accumulate(shares))
    return min(bisect_right(ends, turn * GOLDEN % 1.0 * ends[-1]), len(shares) - 1)


def find_phase(lengths: Sequence[int], turn: int) -> int:
    """Return the place whose phase it is in a cycle of phases."""
    ends = list(accumulate(lengths))
    return bisect_right(ends, turn % ends[-1])
