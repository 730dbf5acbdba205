"""The curator: applies deltas one by one, merges what says the same, and keeps a playbook within its bounds."""

from __future__ import annotations

from collections.abc import Iterable

from evograft_playbook.learning.bounds import Bounds
from evograft_playbook.learning.deltas import Delta
from evograft_playbook.learning.revision import DeltaOutcome, PlaybookRevision
from evograft_playbook.store import PlaybookDraft, PlaybookStore

SECTIONS = ("shr", "mis", "cod", "exa")
"""What may be learned anew where a playbook has no such section yet: strategies and hard rules, mistakes, code,
examples."""


class Curator:
    """Changes a playbook by deltas, never as a whole.

    Args:
        store: has the playbook.
        bounds: that it grows to.
    """

    def __init__(self, store: PlaybookStore, bounds: Bounds | None = None) -> None:
        self._store = store
        self._bounds = bounds or Bounds()

    def apply(self, deltas: Iterable[Delta], *, source: str) -> DeltaOutcome:
        """Carry deltas out in one transaction; one that does not fit the playbook is dropped, and the others are not.

        Args:
            deltas: in this order.
            source: who or what learned it.
        """
        with self._store.changing(source) as draft:
            return self.revise(draft, deltas)

    def revise(self, draft: PlaybookDraft, deltas: Iterable[Delta]) -> DeltaOutcome:
        """Do as `apply`, in a transaction of the caller's."""
        revision = PlaybookRevision(
            draft, in_all=self._bounds.in_all, a_section=self._bounds.a_section, sections=SECTIONS
        )
        for delta in deltas:
            revision.carry_out(delta)
        if revision.has_new_texts:
            revision.merge()
        return revision.outcome
