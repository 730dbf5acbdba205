"""Changes, which make up the history of a playbook."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evograft_hookspecs.values import Count, Value
from evograft_playbook.types import Bullet, BulletId, StrictText, Time

Kind = Literal["add", "edit", "retire", "count", "import", "undo"]


class BulletChange(Value):
    """A change of one bullet."""

    seq: Count
    """Its place in the history, from 1."""
    batch: Count
    """The first change of its transaction: a transaction is undone as a whole."""
    at: Time
    source: StrictText
    """Who or what did it."""
    kind: Kind
    bullet_id: BulletId
    before: Bullet | None
    """`None`: it was not there."""
    after: Bullet | None
    """`None`: it is not there any more."""
    undone: Annotated[bool, Field(strict=True)] = False
