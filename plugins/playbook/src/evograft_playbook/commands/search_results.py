"""What a search of the user's finds, as a table or as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evograft_playbook.commands.output import one_line, say, words
from evograft_playbook.commands.settings import options_in
from evograft_playbook.language_model import pipeline_of
from evograft_playbook.search.hybrid import Found
from evograft_playbook.search.open import open_search
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import SearchQuery


def found(store: PlaybookStore, query: str, top_k: int, overrides: Sequence[str]) -> list[Found]:
    """The bullets that fit.

    Args:
        store: has them.
        query: what is looked for.
        top_k: bullets at most.
        overrides: of `--set`.

    Raises:
        UserError: a setting is wrong.
    """
    options = options_in(pipeline_of(overrides), read=("search",))
    with open_search(store.path, options.search, say=say) as search:
        return search.find(SearchQuery(query_text=query, top_k=top_k), store.load())


def titles() -> tuple[str, ...]:
    """Of the columns of `as_row`."""
    t = words()
    return ("", "id", t("score"), t("by_words"), t("by_meaning"), t("content"))


def as_row(each: Found) -> tuple[str, ...]:
    """For people: its place, and that in each half of the search."""
    places = (str(place or "-") for place in (each.lexical_rank, each.dense_rank))
    return (str(each.rank), each.bullet.id, f"{each.score:.3f}", *places, one_line(each.bullet.content))


def as_data(each: Found) -> dict[str, Any]:
    """For programs."""
    return {
        "rank": each.rank,
        "score": each.score,
        "lexical_rank": each.lexical_rank,
        "dense_rank": each.dense_rank,
        "bullet": each.bullet.model_dump(mode="json"),
    }
