"""The `select` verb: the search that the options name, told of each committed trial once."""

from __future__ import annotations

from typing import ClassVar

from evograft_hookspecs import CONTRACT, Context, Manifest, Selection, Trial, hookimpl
from evograft_islands.options import IslandsOptions
from evograft_islands.searches.build import build_search
from evograft_islands.seen_trials import SeenTrials


class IslandsPlugin:
    """Selects parents by islands, an archive, a front, a chain, or several of these together."""

    manifest: ClassVar = Manifest(
        name="islands",
        description="Parents from islands of elites with ring migration, from archives, fronts, or several searches.",
        contract=CONTRACT,
        thread_safe=True,
    )
    Options: ClassVar = IslandsOptions

    def __init__(self, options: IslandsOptions) -> None:
        self.options = options
        self.search = build_search(options)
        self._told = SeenTrials()

    @hookimpl
    def select(self, ctx: Context, committed: tuple[Trial, ...]) -> Selection:
        for trial in committed:
            if self._told.add(trial.number):
                self.search.tell(ctx, trial, home=trial.selection.island if trial.selection else None)
        return self.search.select(ctx, turn=ctx.trial or 0)
