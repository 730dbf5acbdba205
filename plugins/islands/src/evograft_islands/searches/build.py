"""From options to the search that they ask for."""

from __future__ import annotations

from evograft_islands.options import IslandOptions, IslandsOptions, SearchName
from evograft_islands.searches.archive import ArchiveSearch, build_archive
from evograft_islands.searches.composed import ComposedSearch
from evograft_islands.searches.islands import IslandSearch
from evograft_islands.searches.pareto import ParetoSearch
from evograft_islands.searches.search import Search
from evograft_islands.searches.single_parent import BestOfN, Sequential


def build_search(options: IslandsOptions) -> Search:
    """Return the search of a run."""
    if options.search == "composed":
        members = options.composed.members
        return ComposedSearch(options.composed, [_build(each.search, options, each.place) for each in members])
    return _build(options.search, options, options.place)


def _build(name: SearchName, options: IslandsOptions, place: IslandOptions) -> Search:
    """Return a search on its own or as a member.

    Args:
        name: which one.
        options: of all searches.
        place: what the trials of a search have that has no islands.
    """
    match name:
        case "best_of_n":
            return BestOfN(place)
        case "sequential":
            return Sequential(place)
        case "pareto":
            return ParetoSearch(options.pareto, place)
        case "archive" if options.archive:
            return ArchiveSearch(build_archive(options.archive), place)
    return IslandSearch(options)
