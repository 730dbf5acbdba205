"""What a session of a run remembers, opened."""

from __future__ import annotations

from pathlib import Path

from evograft_playbook.learning import snapshot
from evograft_playbook.learning.options import PlaybookOptions
from evograft_playbook.learning.recall import Recall
from evograft_playbook.search.hybrid import HybridSearch
from evograft_playbook.search.opening import open_search


def open_recall(options: PlaybookOptions, scratch: Path) -> Recall:
    """The run's own copy of the playbook, with what searches it.

    Args:
        options: of the plugin.
        scratch: of the session.
    """
    playbook = snapshot.load(scratch)
    words = options.search.model_copy(update={"dense_weight": 0.0, "lexical_weight": 1.0})
    by_words = HybridSearch(words)
    # Nothing is embedded where there is nothing to find.
    by_meaning = open_search(options.playbook, options.search) if playbook.active else HybridSearch(words)
    return Recall(playbook, by_meaning, by_words, top_k=options.top_k)
