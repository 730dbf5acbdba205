"""The playbook of a run: read once, when it begins, and kept in its folder, so that the run stays the same."""

from __future__ import annotations

import shutil
from pathlib import Path

from evograft.api import Header, ServiceError, UserError, open_journal, write_atomically
from evograft_hookspecs import RunStarted
from evograft_playbook.exchange.json_format import from_json, to_json
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import Playbook

NAME = "playbook.json"


def keep_snapshot(started: RunStarted, scratch: Path, path: Path) -> None:
    """Write down what the run is to know, unless an earlier session did.

    It is put where all plugins of the run find it.

    Plugins that an older epoch of the run still needs are told of no start, and share the scratch folder.

    Args:
        started: the session.
        scratch: of the session.
        path: of the playbook, which is made when it is not there.
    """
    kept = Path(started.folder) / NAME
    try:
        if not kept.exists():
            write_atomically(kept, _text(started, path).encode())
        shutil.copyfile(kept, scratch / NAME)
    except OSError as err:
        raise ServiceError(f"playbook: cannot keep {str(kept)!r}: {err.strerror}; see to the disk") from err


def load_snapshot(scratch: Path) -> Playbook:
    """Load the playbook of the run that works in this folder."""
    file = scratch / NAME
    try:
        return from_json(file.read_text(encoding="utf-8"))
    except OSError as err:
        raise UserError(
            "playbook: a trial that was begun with this plugin is still to be done: "
            "keep it among the pipeline's plugins until then"
        ) from err
    except (UserError, UnicodeDecodeError) as err:
        raise UserError(
            f"playbook: {NAME} in the run's folder is damaged ({err}): put the file back as it was"
        ) from err


def is_repeat(started: RunStarted) -> bool:
    """Return whether the run only does again what another one has done."""
    with open_journal(Path(started.folder)) as journal:
        header = next(journal.records(), None)
    return isinstance(header, Header) and header.follows is not None


def _text(started: RunStarted, path: Path) -> str:
    llm = started.pipeline["llm"]
    # A run whose log answers in the place of a model is repeated with what it knew.
    recorded = Path(str(llm["run"])) / NAME if llm["driver"] == "replay" else None
    if recorded is not None and recorded.exists():
        return recorded.read_text(encoding="utf-8")
    with PlaybookStore(path) as store:
        return to_json(store.load())
