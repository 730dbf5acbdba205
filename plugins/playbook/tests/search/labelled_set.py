"""Bullets and questions about them, each with the ids that answer it, written before there was a search to try them on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from evograft_playbook.types import Bullet, Playbook

FOLDER = Path(__file__).with_name("labelled")
KINDS = {"en": "English", "ja": "Japanese", "ja-en": "Japanese, answered in English", "ident": "identifiers"}


@dataclass(frozen=True)
class LabelledQuery:
    """What somebody asks, in other words than the bullets have."""

    id: str
    kind: str
    text: str
    answers: frozenset[str]
    """All bullets that answer it, in whichever language."""

    @property
    def put_away(self) -> bool:
        """Nothing is tuned on these: the hash of the id decides, not the author."""
        return hashlib.sha256(self.id.encode()).digest()[0] % 2 == 1


def labelled_playbook() -> Playbook:
    rows = (line.partition(": ") for line in _lines("bullets.txt"))
    return Playbook(bullets=tuple(Bullet(id=id_, section=id_[:3], content=content) for id_, _, content in rows))


def labelled_queries() -> tuple[LabelledQuery, ...]:
    return tuple(_query(line) for line in _lines("queries.txt"))


def _query(line: str) -> LabelledQuery:
    head, _, text = line.partition(": ")
    id_, kind, *answers = head.split()
    return LabelledQuery(id=id_, kind=kind, text=text, answers=frozenset(answers))


def _lines(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").splitlines()
