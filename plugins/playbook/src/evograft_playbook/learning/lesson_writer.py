"""The writer of a run's lessons: each part is written once, however often the run is killed and resumed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Literal

from evograft.text.escapes import sanitize
from evograft_playbook.learning.credit import BulletEstimate
from evograft_playbook.learning.curator import Curator
from evograft_playbook.learning.deltas import CountUses, Delta
from evograft_playbook.learning.revision import DeltaOutcome
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import Playbook

Part = Literal["credit", "lessons"]

_TRIALS = re.compile(r", (\d+) trials")


class LessonWriter:
    """The writer of a run's lessons, under its name: the history of the playbook says what was written already.

    A run that was complete and went on settles again, by the trials that came since.

    Args:
        store: has the playbook.
        curator: of the store.
        run_id: unique, unlike the name.
        name: of the run, for people.
    """

    def __init__(self, store: PlaybookStore, curator: Curator, *, run_id: str, name: str) -> None:
        self._store = store
        self._curator = curator
        self._run_id = run_id
        self._name = sanitize(name, 60)

    def write(self, part: Part, trials: int, deltas: Callable[[int, Playbook], Iterable[Delta]]) -> DeltaOutcome | None:
        """Carry deltas out; return `None` if that was done before.

        Args:
            part: of what is learned.
            trials: of the run so far.
            deltas: gives them, told how many trials were settled earlier, and the playbook as it is now.
        """
        beginning = f"{part} of run {self._run_id}, "
        # Kept short of the name: two runs may have one.
        with self._store.changing(f"{beginning}{trials} trials ({self._name})") as draft:
            settled = max(map(_trials_in, draft.sources(beginning)), default=0)
            if settled >= trials:
                return None
            return self._curator.revise(draft, deltas(settled, draft.load()))


def build_credits(estimates: Iterable[BulletEstimate]) -> list[Delta]:
    """One count for each bullet that did more than chance does."""
    known = [each for each in estimates if each.verdict != "unknown"]
    return [CountUses.model_validate({"bullet_id": each.bullet_id, each.verdict: 1}) for each in known]


def _trials_in(source: str) -> int:
    found = _TRIALS.search(source)
    return int(found[1]) if found else 0
