"""Values that all modules share: bullets, the playbook they make up, a search in it, and an answer given with it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from evograft_hookspecs.values import Number, Text, Value


def _from_text(value: Any) -> Any:
    """Read ISO 8601 where JSON was parsed already; a number is not a time."""
    if not isinstance(value, str):
        return value
    return datetime.fromisoformat(value)


def _to_utc(value: datetime) -> datetime:
    """Return the same instant in UTC: JSON has no zones with seconds in their offsets.

    Without a zone it stays as it is.
    """
    if value.tzinfo is None:
        return value
    try:
        return value.astimezone(UTC)
    except OverflowError as err:
        raise ValueError(f"{value.isoformat()} is outside of the years 1 to 9999 in UTC") from err


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank: a bullet says something")
    return text


def _now() -> datetime:
    return datetime.now(UTC)


Time = Annotated[datetime, Field(strict=True), BeforeValidator(_from_text), AfterValidator(_to_utc)]
"""With a zone it is held in UTC; without one it is read as it is."""

StrictText = Annotated[Text, Field(strict=True)]

Section = Annotated[Text, Field(strict=True, pattern=r"\A[a-z]{3,}\z", max_length=40)]
"""What bullets are grouped by, such as `shr`: three or more lower-case letters."""

BulletId = Annotated[Text, Field(strict=True, pattern=r"\A[a-z]{3,40}-[0-9]{5}\z")]
"""A section and a number, such as `shr-00001`."""

Uses = Annotated[int, Field(strict=True, ge=0, le=10**12)]
"""How often a bullet was seen to do something; bounded, because a database has no larger integers than 64 bits."""

Content = Annotated[Text, Field(strict=True, max_length=10_000), AfterValidator(_not_blank)]
"""Of a bullet: short, and not only white space."""


class Bullet(Value):
    """One thing that was learned."""

    id: BulletId
    section: Section
    content: Content
    helpful: Uses = 0
    """How often an answer was better for it."""
    harmful: Uses = 0
    """How often an answer was worse for it."""
    created: Time = Field(default_factory=_now)
    updated: Time = Field(default_factory=_now)
    source: StrictText = ""
    """Who or what brought it in: `user`, a file, a run; empty where nobody said."""
    retired: Annotated[bool, Field(strict=True)] = False
    """Out of use: it is kept and shown, and not found by searches."""

    @model_validator(mode="after")
    def _belongs_to_its_section(self) -> Self:
        if self.id.partition("-")[0] != self.section:
            raise ValueError(f"the id {self.id!r} is not of the section {self.section!r}")
        return self


class Playbook(Value):
    """The bullets at one moment, retired ones included."""

    bullets: tuple[Bullet, ...] = ()

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        for one, other in pairwise(sorted(bullet.id for bullet in self.bullets)):
            if one == other:
                raise ValueError(f"two bullets have the id {one!r}")
        return self

    @cached_property
    def _by_id(self) -> dict[str, Bullet]:
        return {bullet.id: bullet for bullet in self.bullets}

    @property
    def active(self) -> tuple[Bullet, ...]:
        """Return the bullets that are not retired: what searches find."""
        return tuple(bullet for bullet in self.bullets if not bullet.retired)

    def find(self, bullet_id: str) -> Bullet | None:
        """Find a bullet, also if it is retired."""
        return self._by_id.get(bullet_id)


class SearchQuery(Value):
    """A query, and how many results it may have."""

    query_text: StrictText
    top_k: Annotated[int, Field(strict=True, ge=1)] = 10
    """Results at most."""


class SearchResult(Value):
    """A bullet that was found."""

    bullet: Bullet
    score: Number
    """Higher is better; only to be compared within one search."""
    rank: Annotated[int, Field(strict=True, ge=1)]
    """Its place among the results, from 1."""


class Trajectory(Value):
    """An answer, and how it came about; a Generator of one's own may add keys, which are kept."""

    model_config = ConfigDict(strict=True, extra="allow")

    query: StrictText
    dataset: StrictText
    generated_answer: StrictText
    """Empty on failure."""
    reasoning_steps: list[StrictText]
    """What was really done, in order."""
    used_bullet_ids: list[StrictText]
    """Of the bullets that were put into the prompt."""
    status: Literal["success", "failure"]
    error_message: StrictText | None = None
    """What went wrong; set on failure."""
    created_at: Time = Field(default_factory=_now)
