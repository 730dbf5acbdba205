"""Japanese cut by a dictionary, where it is installed."""

from __future__ import annotations

import sys

import pytest

from evograft.errors import UserError
from evograft_playbook.search.hybrid import HybridSearch
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.types import SearchQuery


def test_words_are_found_in_other_forms(playbook_of):
    pytest.importorskip("sudachipy", reason="install sudachipy")
    pytest.importorskip("sudachidict_core", reason="install sudachidict_core")
    search = HybridSearch(SearchOptions(japanese="sudachi"))
    playbook = playbook_of("温度を下げる", "走った", "打ち切り")
    found = search.search(SearchQuery(query_text="打切りの時刻"), playbook)
    assert found[0].bullet.id == "shr-00003"


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    with pytest.raises(
        UserError, match=r"'sudachi' needs the package sudachipy: pip install 'evograft-playbook\[ja\]'"
    ):
        HybridSearch(SearchOptions(japanese="sudachi"))
