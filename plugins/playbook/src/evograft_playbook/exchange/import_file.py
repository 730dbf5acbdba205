"""Importing a playbook into another one, as a whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from evograft.api import UserError
from evograft_playbook.exchange.json_format import from_json
from evograft_playbook.exchange.markdown import from_markdown
from evograft_playbook.store import PlaybookDraft
from evograft_playbook.types import Bullet, Playbook

Known = Literal["refuse", "update", "renumber"]

LARGEST_FILE = 50_000_000
"""Bytes; a playbook of 10,000 bullets has about five million."""


@dataclass
class ImportOutcome:
    """The outcome for the bullets of a file, by id."""

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    renumbered: dict[str, str] = field(default_factory=dict)
    """The new id of each bullet whose own was taken."""


def read_playbook_file(path: Path) -> Playbook:
    """Read a file by its name's ending: `.md` and `.markdown` are Markdown, everything else is JSON.

    Raises:
        UserError: naming the file, the place and what is wrong with it.
    """
    text = _text_of(path)
    try:
        return from_markdown(text) if is_markdown(path) else from_json(text)
    except UserError as err:
        raise UserError(f"nothing was imported from {str(path)!r}: {err}") from err


def is_markdown(path: Path) -> bool:
    """Return whether a file is Markdown by its name; all else is JSON."""
    return path.suffix.lower() in {".md", ".markdown"}


def bring_in(draft: PlaybookDraft, playbook: Playbook, *, known: Known) -> ImportOutcome:
    """Add the bullets of a playbook to a transaction.

    Args:
        draft: of the playbook that they come to.
        playbook: that they come from.
        known: what is done about an id that stands, or once stood, for something else: refuse the whole, take what
            comes
            in the place of what is there, or give what comes a new number.

    Raises:
        UserError: an id is known, and that is to be refused.
    """
    imported = ImportOutcome()
    # Ids that stay as they are come first: no new number is to take one of them.
    taken = {bullet.id for bullet in playbook.bullets if draft.was_used(bullet.id)}
    for bullet in sorted(playbook.bullets, key=lambda each: each.id in taken):
        if draft.find(bullet.id) == bullet:
            imported.unchanged.append(bullet.id)
        elif bullet.id not in taken:
            imported.added.append(draft.put(bullet).id)
        else:
            _bring_known(draft, bullet, known, imported)
    return imported


def _bring_known(draft: PlaybookDraft, bullet: Bullet, known: Known, imported: ImportOutcome) -> None:
    if known == "refuse":
        raise UserError(
            f"nothing was imported: {bullet.id!r} is another bullet here; replace what is here with --known update, "
            "or give what comes new numbers with --known renumber"
        )
    if known == "update":
        imported.updated.append(draft.put(bullet).id)
        return
    new_id = draft.new_id(bullet.section)
    imported.renumbered[bullet.id] = draft.put(bullet.model_copy(update={"id": new_id})).id


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise UserError(f"cannot import {str(path)!r}: it is larger than {LARGEST_FILE:,} bytes")
        return content.decode("utf-8-sig")
    except OSError as err:
        raise UserError(f"cannot read {str(path)!r}: {err.strerror}") from err
    except UnicodeDecodeError as err:
        raise UserError(f"cannot import {str(path)!r}: byte {err.start} is not UTF-8 text") from err
