"""A transaction: how a playbook is changed."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from evograft.api import UserError, explain_validation
from evograft_hookspecs.values import check_text
from evograft_playbook.store.change import BulletChange, Kind
from evograft_playbook.store.rows import (
    delete_bullet,
    last_change,
    read_bullet,
    read_changes,
    read_playbook,
    read_sources,
    write_bullet,
    write_change,
)
from evograft_playbook.types import Bullet, Playbook

LAST_NUMBER = 99_999
_SECTION = re.compile(r"[a-z]{3,40}")


class PlaybookDraft:
    """A transaction that is open: what it does is written as a whole when it ends, or not at all.

    Args:
        db: has a write transaction open.
        source: who or what changes the playbook.
    """

    def __init__(self, db: sqlite3.Connection, *, source: str) -> None:
        self._db = db
        self._source = check_text(source)
        self._now = datetime.now(UTC)
        self._last = last_change(db)
        self._batch = self._last + 1

    @property
    def has_changed(self) -> bool:
        return self._last >= self._batch

    def find(self, bullet_id: str) -> Bullet | None:
        """Return a bullet as it is now, retired or not."""
        return read_bullet(self._db, bullet_id)

    def load(self) -> Playbook:
        """Return all bullets as they are now, with what the transaction did so far."""
        return read_playbook(self._db)

    def sources(self, beginning: str) -> tuple[str, ...]:
        """Return who changed the playbook, as far as their names begin so; undone changes count as well."""
        return read_sources(self._db, beginning)

    def was_used(self, bullet_id: str) -> bool:
        """Return whether a bullet has or ever had this id."""
        return bool(read_changes(self._db, bullet_id=bullet_id, most=1))

    def new_id(self, section: str) -> str:
        """Return the next id of a section: numbers are never used again."""
        bounds = (f"{section}-00000", f"{section}-{LAST_NUMBER}")
        query = "SELECT max(bullet_id) FROM changes WHERE bullet_id BETWEEN ? AND ?"
        (last,) = self._db.execute(query, bounds).fetchone()
        number = int(last.rpartition("-")[2]) + 1 if last else 1
        if number > LAST_NUMBER:
            raise UserError(f"section {section!r} is full, its numbers end at {LAST_NUMBER}: take another section")
        return f"{section}-{number:05}"

    def add(self, section: str, content: str) -> Bullet:
        """Add a bullet; an invalid section or content is a UserError."""
        if not _SECTION.fullmatch(section):
            raise UserError(f"{section!r} is no section: three or more lower-case letters, such as shr")
        checked = _valid({"id": f"{section}-00000", "section": section, "content": content})
        given = {"id": self.new_id(section), "created": self._now, "updated": self._now, "source": self._source}
        return self._record_change("add", None, checked.model_copy(update=given))

    def edit(self, bullet_id: str, content: str) -> Bullet:
        """Other words for the same lesson.

        Raises:
            UserError: no bullet in use has this id, or the content is invalid.
        """
        before = self._in_use(bullet_id)
        after = _valid({**dict(before), "content": content, "updated": self._now})
        return self._record_change("edit", before, after)

    def retire(self, bullet_id: str, *, reason: str = "") -> Bullet:
        """Take a bullet out of use; one that is not in use is a UserError.

        Args:
            bullet_id: of the bullet.
            reason: stands in the history behind the source; empty: there is none to give.
        """
        before = self._in_use(bullet_id)
        after = before.model_copy(update={"retired": True, "updated": self._now})
        return self._record_change("retire", before, after, reason=reason)

    def count(self, bullet_id: str, *, helpful: int = 0, harmful: int = 0) -> Bullet:
        """Add to what is known of a bullet's use, be it retired or not.

        Raises:
            UserError: no bullet has this id, or its counts have come to their end.
        """
        if min(helpful, harmful) < 0 or not helpful + harmful:
            raise ValueError(f"counts of {bullet_id!r} go up by 1 or more, not by {helpful} and {harmful}")
        before = self.get(bullet_id)
        _valid({**dict(before), "helpful": before.helpful + helpful, "harmful": before.harmful + harmful})
        self._db.execute(
            "UPDATE bullets SET helpful = helpful + ?, harmful = harmful + ?, updated = ? WHERE id = ?",
            (helpful, harmful, self._now.isoformat(), bullet_id),
        )
        after = self.get(bullet_id)
        self._note("count", bullet_id, before, after)
        return after

    def put(self, bullet: Bullet) -> Bullet:
        """Take a bullet from elsewhere, with all that it brings, in the place of the one with its id."""
        return self._record_change("import", self.find(bullet.id), bullet)

    def undo(self, steps: int) -> tuple[BulletChange, ...]:
        """Undo the last transactions, newest first, and return the changes that are no more.

        Raises:
            UserError: there are fewer.
        """
        taken_back: list[BulletChange] = []
        for done in range(steps):
            query = "SELECT max(batch) FROM changes WHERE undone = 0 AND kind <> 'undo'"
            (batch,) = self._db.execute(query).fetchone()
            if batch is None:
                raise UserError(f"nothing was undone: {done} changes can be, not {steps}")
            changes = read_changes(self._db, batch=batch)
            for change in changes:
                self._take_back(change)
            taken_back += changes
        return tuple(taken_back)

    def get(self, bullet_id: str) -> Bullet:
        bullet = self.find(bullet_id)
        if bullet is None:
            raise UserError(f"there is no bullet {bullet_id!r}: see what there is with evo playbook list")
        return bullet

    def _in_use(self, bullet_id: str) -> Bullet:
        bullet = self.get(bullet_id)
        if bullet.retired:
            raise UserError(f"bullet {bullet_id!r} is retired: add a new one instead")
        return bullet

    def _take_back(self, change: BulletChange) -> None:
        current = self.find(change.bullet_id)
        self._db.execute("UPDATE changes SET undone = 1 WHERE seq = ?", (change.seq,))
        if change.before is None:
            delete_bullet(self._db, change.bullet_id)
        else:
            write_bullet(self._db, change.before)
        self._note("undo", change.bullet_id, current, change.before)

    def _record_change(self, kind: Kind, before: Bullet | None, after: Bullet, *, reason: str = "") -> Bullet:
        write_bullet(self._db, after)
        self._note(kind, after.id, before, after, reason=reason)
        return after

    def _note(
        self, kind: Kind, bullet_id: str, before: Bullet | None, after: Bullet | None, *, reason: str = ""
    ) -> None:
        self._last += 1
        change = BulletChange(
            seq=self._last,
            batch=self._batch,
            at=self._now,
            source=f"{self._source}: {check_text(reason)}" if reason else self._source,
            kind=kind,
            bullet_id=bullet_id,
            before=before,
            after=after,
        )
        write_change(self._db, change)


def _valid(data: Mapping[str, Any]) -> Bullet:
    try:
        return Bullet.model_validate(data)
    except ValidationError as err:
        raise UserError(explain_validation(err, Bullet)) from err
