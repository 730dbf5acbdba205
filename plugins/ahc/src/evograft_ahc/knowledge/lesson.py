"""What a session has shown."""

from __future__ import annotations

from typing import Literal

from evograft_hookspecs import Value

Kind = Literal["result", "fragment", "prompt"]


class Lesson(Value):
    """One thing worth knowing later."""

    contest_id: str
    session: str
    """The session's name."""
    kind: Kind
    """`result`: what came of the session; `fragment`: code that made a program better; `prompt`: an instruction that a
    model made better programs from."""
    title: str
    text: str
    gain: float = 0.0
    """How much better it made the best program, as a share of its score."""


class ModelUse(Value):
    """What a session asked of a model."""

    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None
    """`None`: its price is unknown."""
    improved: int
    """How many of its candidates were better than all before."""


class SessionLessons(Value):
    """All of one session."""

    session_id: str
    contest_id: str
    lessons: tuple[Lesson, ...]
    models: tuple[ModelUse, ...]
