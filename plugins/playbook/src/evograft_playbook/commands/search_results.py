"""The results of a user's search, as a table or as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evograft_playbook.commands.output import load_words, one_line, say
from evograft_playbook.commands.settings import read_options
from evograft_playbook.language_model import build_pipeline
from evograft_playbook.search.hybrid import FoundBullet
from evograft_playbook.search.open import open_search
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import SearchQuery


def find_bullets(store: PlaybookStore, query: str, top_k: int, overrides: Sequence[str]) -> list[FoundBullet]:
    """Find the bullets that fit.

    Args:
        store: has them.
        query: what is looked for.
        top_k: bullets at most.
        overrides: of `--set`.

    Raises:
        UserError: a setting is wrong.
    """
    options = read_options(build_pipeline(overrides), read=("search",))
    with open_search(store.path, options.search, say=say) as search:
        return search.find(SearchQuery(query_text=query, top_k=top_k), store.load())


def get_titles() -> tuple[str, ...]:
    """Return the titles of the columns of `build_row`."""
    t = load_words()
    return ("", "id", t("score"), t("by_words"), t("by_meaning"), t("content"))


def build_row(each: FoundBullet) -> tuple[str, ...]:
    """Return a result for people: its place, and that in each half of the search."""
    places = (str(place or "-") for place in (each.lexical_rank, each.dense_rank))
    return (str(each.rank), each.bullet.id, f"{each.score:.3f}", *places, one_line(each.bullet.content))


def build_data(each: FoundBullet) -> dict[str, Any]:
    """Return a result for programs."""
    return {
        "rank": each.rank,
        "score": each.score,
        "lexical_rank": each.lexical_rank,
        "dense_rank": each.dense_rank,
        "bullet": each.bullet.model_dump(mode="json"),
    }
