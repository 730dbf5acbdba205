"""Stages of an evaluation: how far it came, the values of `Evaluation.stage`, and what each took by the clock."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_hookspecs import Evaluation, FrozenDict

COMPILING = "compiling"
"""The compiler refused the program."""
COMPILING_TIMEOUT = "compiling, out of time"
"""The compiler took too long over it, or too much memory."""
JUDGING = "judging"
"""It compiled, and cases were run."""

WAITING = "waiting"
"""What the processes of a program waited for a core, on all cases, where that is counted."""


class Stopwatch:
    """Measures one evaluation, part by part. On a busy machine a part includes waiting for a free session."""

    def __init__(self) -> None:
        self._durations: dict[str, float] = {}

    @contextmanager
    def measuring(self, part: str) -> Iterator[None]:
        """Measure what happens in the block, whether it succeeds or not."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._durations[part] = round(time.monotonic() - begun, 6)

    def add_waiting(self, outcomes: Iterable[CaseOutcome]) -> None:
        """Take note of what a program waited for a core."""
        counted = [outcome.waited_seconds for outcome in outcomes if outcome.waited_seconds is not None]
        if counted:
            self._durations[WAITING] = round(sum(counted), 6)

    def with_durations(self, evaluation: Evaluation) -> Evaluation:
        """Return the evaluation with what was measured, which is outside of what is compared."""
        return evaluation.model_copy(update={"durations": FrozenDict(self._durations)})
