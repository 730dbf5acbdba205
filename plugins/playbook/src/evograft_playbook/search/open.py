"""A search with the user's settings, and its vectors next to the playbook."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

from evograft.api import DriverSection, load_driver
from evograft_playbook.search.dense import DenseIndex, not_kept
from evograft_playbook.search.hybrid import HybridSearch, warn
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.search.vectors import VectorFile, get_vectors_path


def open_search(
    playbook: Path | None,
    options: SearchOptions | None = None,
    *,
    say: Callable[[str], None] = warn,
) -> HybridSearch:
    """Open the driver and the file of vectors; the search that is returned closes both.

    Args:
        playbook: the file that the vectors are kept next to; `None`: they are not kept.
        options: of the search.
        say: as of `HybridSearch`.

    Raises:
        UserError: the driver is not known or its options are wrong, or a package that an option names is missing.
    """
    options = options or SearchOptions()
    section = options.embedding
    if section is None or options.dense_weight == 0:
        return HybridSearch(options, say=say)
    driver = load_driver("embedding", section)
    file = _vector_file(playbook, section, say) if playbook is not None else None
    return HybridSearch(options, dense=DenseIndex(driver, file, say), say=say)


def _vector_file(playbook: Path, section: DriverSection, say: Callable[[str], None]) -> VectorFile | None:
    # Options may hold what is nobody's business: they are told apart by their hash.
    model = hashlib.sha256(section.model_dump_json().encode()).hexdigest()
    try:
        return VectorFile(get_vectors_path(playbook), model=f"{section.driver} {model[:16]}")
    except sqlite3.Error as err:
        say(not_kept(err))
        return None
