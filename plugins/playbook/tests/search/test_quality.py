"""The real encoder on the labelled set: joined, the halves are worth more than the better one."""

from __future__ import annotations

from functools import cache
from statistics import mean

import pytest
from labelled_set import labelled_playbook, labelled_queries

from evograft_playbook.search.open import open_search
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.types import SearchQuery


@pytest.fixture(scope="module")
def quality(tmp_path_factory):
    """The mean reciprocal rank among ten, by options of the search and kind of question."""
    playbook, queries = labelled_playbook(), labelled_queries()
    file = tmp_path_factory.mktemp("quality") / "playbook.sqlite"

    def reciprocal(search, query):
        found = search.search(SearchQuery(query_text=query.text), playbook)
        return next((1 / each.rank for each in found if each.bullet.id in query.answers), 0.0)

    @cache
    def reciprocals(options):
        with open_search(file, SearchOptions(**dict(options))) as search:
            return [reciprocal(search, query) for query in queries]

    def measured(kind=None, **options):
        ranks = zip(queries, reciprocals(frozenset(options.items())), strict=True)
        return mean(rank for query, rank in ranks if kind in (None, query.kind))

    return measured


@pytest.mark.long
def test_both_halves_together_are_better_than_the_better_one(quality):
    better = max(quality(embedding=None), quality(lexical_weight=0.0))
    assert quality() > better + 0.02


@pytest.mark.parametrize("kind", ["en", "ja", "ja-en"])
def test_words_do_not_spoil_what_meaning_finds(quality, kind):
    assert quality(kind) >= quality(kind, lexical_weight=0.0) - 0.005


def test_identifiers_are_found_by_words_and_nearly_all_together(quality):
    assert quality("ident", embedding=None) == 1.0
    assert quality("ident") > 0.95


def test_japanese_is_found_by_words_alone(quality):
    assert quality("ja", embedding=None) > 0.3
