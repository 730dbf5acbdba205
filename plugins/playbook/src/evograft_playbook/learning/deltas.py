"""Deltas: the small changes that a playbook learns by. Whoever proposes them, each is checked alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError, model_validator

from evograft.text.escapes import escape_controls, sanitize
from evograft.text.masking import mask
from evograft_hookspecs.values import Count, Value
from evograft_playbook.types import BulletId, Content, Section, StrictText

LONGEST = 1000
"""Characters of a bullet that was learned: a lesson that takes more is several."""
LONGEST_REASON = 200


def _plain(text: str) -> str:
    """Refuse what could steer a terminal or hide, and what must not be seen."""
    text = text.replace("\r\n", "\n")
    if escape_controls(text) != text:
        raise ValueError("it holds control or invisible characters")
    if mask(text) != text:
        raise ValueError("it holds what looks like a key")
    return text.strip()


def _short(text: str) -> str:
    if len(text) > LONGEST:
        raise ValueError(f"it has {len(text):,} characters, a lesson has {LONGEST:,} at most")
    return text


Lesson = Annotated[Content, AfterValidator(_short), AfterValidator(_plain)]
"""The content of a bullet that is learned."""

Reason = Annotated[StrictText, Field(max_length=LONGEST_REASON, pattern=r"\S"), AfterValidator(_plain)]


class AddBullet(Value):
    """A new bullet."""

    kind: Literal["add"] = "add"
    section: Section
    content: Lesson


class CountUses(Value):
    """A given number of times more that a bullet helped or harmed."""

    kind: Literal["count"] = "count"
    bullet_id: BulletId
    helpful: Count = 0
    harmful: Count = 0

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not 0 < self.helpful + self.harmful <= _MOST_AT_ONCE:
            raise ValueError(f"counts go up by 1 to {_MOST_AT_ONCE}")
        return self


class EditBullet(Value):
    """Other words for the same lesson."""

    kind: Literal["edit"] = "edit"
    bullet_id: BulletId
    content: Lesson


class RetireBullet(Value):
    """A bullet that goes out of use."""

    kind: Literal["retire"] = "retire"
    bullet_id: BulletId
    reason: Reason


Delta = AddBullet | CountUses | EditBullet | RetireBullet

_MOST_AT_ONCE = 1000
_ANY: TypeAdapter[Delta] = TypeAdapter(Annotated[Delta, Field(discriminator="kind")])


class DroppedDelta(Value):
    """A delta that was not carried out."""

    delta: StrictText
    """What it was, in a few words."""
    reason: StrictText


def read_deltas(proposed: Iterable[Any]) -> tuple[list[Delta], list[DroppedDelta]]:
    """Return those that are deltas, and what is wrong with each of the others.

    Args:
        proposed: plain data, such as a model's answer in JSON.
    """
    deltas: list[Delta] = []
    dropped: list[DroppedDelta] = []
    for each in proposed:
        try:
            deltas.append(_ANY.validate_python(each))
        except ValidationError as err:
            dropped.append(DroppedDelta(delta=summarize_delta(each), reason=_reason(err)))
    return deltas, dropped


def summarize_delta(delta: Any) -> str:
    """Describe a delta in a few words, whatever it is."""
    if isinstance(delta, Value):
        delta = delta.model_dump()
    if not isinstance(delta, dict):
        return sanitize(repr(delta), 100)
    named = " ".join(str(delta.get(name, "")) for name in ("kind", "bullet_id", "section", "content"))
    return sanitize(" ".join(named.split()), 100)


def _reason(err: ValidationError) -> str:
    """Return the first thing that is wrong, without what was given: that may be of any size."""
    first = err.errors(include_input=False, include_url=False)[0]
    # The first part of a place in a union is which of its members was meant.
    place = ".".join(map(str, first["loc"][1:]))
    message = first["msg"].removeprefix("Value error, ")
    return sanitize(f"{place}: {message}" if place else message, 300)
