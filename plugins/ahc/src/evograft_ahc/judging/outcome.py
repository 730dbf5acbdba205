"""What came of one case."""

from __future__ import annotations

from typing import Literal

from evograft_hookspecs import FrozenDict, Value

CaseKind = Literal[
    "score", "wrong_answer", "time_limit", "memory_limit", "output_limit", "process_limit", "runtime_error", "tester"
]
"""`tester`: the contest's own program failed, which is not a program's fault."""


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
    memory_mb: float = 0.0
