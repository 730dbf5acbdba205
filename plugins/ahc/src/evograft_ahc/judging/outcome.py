"""What came of one case."""

from __future__ import annotations

from typing import Literal

from evograft_hookspecs import FrozenDict, Value

CaseKind = Literal[
    "score", "wrong_answer", "time_limit", "memory_limit", "output_limit", "process_limit", "runtime_error", "tester"
]
"""`tester`: the contest's own program failed, which is not a program's fault."""


CLOCK_BOUND = 0.5
"""The share of its time limit from which on a program is taken for one that runs by the clock."""
SAME_HOUR = 3600.0
"""Seconds in which a machine is taken to be equally busy, and equally fast."""


class MessagePart(Value):
    """A part of a message: a text of this room's catalog, with its values."""

    code: str
    values: FrozenDict[str, str | float] = FrozenDict()


class CaseOutcome(Value):
    """A program on a case."""

    case: str
    kind: CaseKind
    score: float | None = None
    """In the contest's own units and direction; `None` unless the kind is `score`."""
    message: str = ""
    """What the tester said, or how the program ended, in English."""
    parts: tuple[MessagePart, ...] = ()
    """What `message` consists of, for people who read another language; empty where it is a tester's own words."""
    values: FrozenDict[str, float] = FrozenDict()
    """What the program has printed about itself, as `key=value` on its standard error."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    """Without what it waited for a core, or for the tester: what it would take on a machine of its own."""
    waited_seconds: float | None = None
    """What its processes waited for a core while others had them all; `None`: nobody counted it."""
    memory_mb: float = 0.0
    measured_at: float = 0.0
    """In seconds since 1970; 0: before this was kept."""

    def runs_by_the_clock(self, limit: float) -> bool:
        """Return whether the program watches the clock, as far as its time tells; what it waited has passed as well."""
        return max(self.cpu_seconds, self.wall_seconds) + (self.waited_seconds or 0.0) >= CLOCK_BOUND * limit

    def is_outdated(self, limit: float, now: float) -> bool:
        """Return whether it may be another one by now.

        Args:
            limit: the time limit, in seconds.
            now: in seconds since 1970.
        """
        return self.runs_by_the_clock(limit) and now - self.measured_at > SAME_HOUR
