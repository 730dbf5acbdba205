"""Bullets and changes as rows, and back: what is read is checked like any other input."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from evograft.api import explain_validation
from evograft_hookspecs.values import Value
from evograft_playbook.store.change import BulletChange
from evograft_playbook.types import Bullet, Playbook

_ID = re.compile(r"[a-z]{3,40}-[0-9]{5}")
_BULLET = "id, content, helpful, harmful, created, updated, source, retired"
_CHANGE = "seq, batch, at, source, kind, bullet_id, before, after, undone"


def read_bullet(db: sqlite3.Connection, bullet_id: str) -> Bullet | None:
    """Return the bullet of this id; `None` also for what is not an id."""
    if not _ID.fullmatch(bullet_id):
        return None
    row = db.execute(f"SELECT {_BULLET} FROM bullets WHERE id = ?", (bullet_id,)).fetchone()  # noqa: S608 - our words
    return _bullet(row) if row else None


def read_playbook(db: sqlite3.Connection) -> Playbook:
    """Return all bullets, by id."""
    rows = db.execute(f"SELECT {_BULLET} FROM bullets ORDER BY id").fetchall()  # noqa: S608 - our words
    return Playbook(bullets=tuple(map(_bullet, rows)))


def write_bullet(db: sqlite3.Connection, bullet: Bullet) -> None:
    """Put a bullet in the place of the one with its id, if there is one."""
    values = bullet.model_dump(mode="json", exclude={"section"})
    marks = ", ".join(f":{name}" for name in values)
    db.execute(f"INSERT OR REPLACE INTO bullets ({', '.join(values)}) VALUES ({marks})", values)  # noqa: S608


def delete_bullet(db: sqlite3.Connection, bullet_id: str) -> None:
    db.execute("DELETE FROM bullets WHERE id = ?", (bullet_id,))


def read_changes(
    db: sqlite3.Connection, *, bullet_id: str | None = None, batch: int | None = None, most: int = -1
) -> list[BulletChange]:
    """Return the changes of a bullet, of a transaction, or all, newest first.

    Args:
        db: the playbook.
        bullet_id: `None`: of any bullet.
        batch: `None`: of any transaction.
        most: how many at most; -1: all.
    """
    if bullet_id is not None and not _ID.fullmatch(bullet_id):
        return []
    given = {"bullet_id": bullet_id, "batch": batch}
    which = " AND ".join(f"{name} = :{name}" for name, value in given.items() if value is not None)
    query = f"SELECT {_CHANGE} FROM changes {which and 'WHERE'} {which} ORDER BY seq DESC LIMIT :most"  # noqa: S608
    rows = db.execute(query, {**given, "most": most})
    return [_change(row) for row in rows]


def read_sources(db: sqlite3.Connection, beginning: str) -> tuple[str, ...]:
    """Return who made a change, undone or not, as far as their names begin so, sorted."""
    query = "SELECT DISTINCT source FROM changes WHERE substr(source, 1, ?) = ? ORDER BY source"
    return tuple(source for (source,) in db.execute(query, (len(beginning), beginning)))


def last_change(db: sqlite3.Connection) -> int:
    """Return the place of the last change in the history; 0: nothing was ever changed."""
    (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM changes").fetchone()
    if not isinstance(last, int):
        raise sqlite3.DatabaseError(f"a change is numbered {last!r}"[:300])
    return last


def require_true_to_history(db: sqlite3.Connection) -> None:
    """Raise `sqlite3.DatabaseError` if a bullet is not what its last change left: SQLite has no checksums."""
    newest = "seq IN (SELECT max(seq) FROM changes GROUP BY bullet_id)"
    rows = db.execute(f"SELECT {_CHANGE} FROM changes WHERE {newest}")  # noqa: S608 - our words
    changes = [_change(row) for row in rows]
    left = {change.bullet_id: change.after for change in changes if change.after is not None}
    there = {bullet.id: bullet for bullet in read_playbook(db).bullets}
    for bullet_id in sorted(left.keys() | there.keys()):
        if left.get(bullet_id) != there.get(bullet_id):
            raise sqlite3.DatabaseError(f"{bullet_id} is not what its history says")


def write_change(db: sqlite3.Connection, change: BulletChange) -> None:
    values = change.model_dump(mode="json")
    values |= {side: values[side] and json.dumps(values[side], ensure_ascii=False) for side in ("before", "after")}
    marks = ", ".join(f":{name}" for name in values)
    db.execute(f"INSERT INTO changes ({', '.join(values)}) VALUES ({marks})", values)  # noqa: S608


def _bullet(row: tuple[Any, ...]) -> Bullet:
    data = dict(zip(_BULLET.split(", "), row, strict=True))
    section = str(data["id"]).partition("-")[0]
    with _blame(data["id"], Bullet):
        return Bullet.model_validate({**data, "section": section, "retired": data["retired"] != 0})


def _change(row: tuple[Any, ...]) -> BulletChange:
    data = dict(zip(_CHANGE.split(", "), row, strict=True))
    with _blame(data["seq"], BulletChange):
        sides = {name: data[name] and Bullet.model_validate_json(data[name]) for name in ("before", "after")}
        return BulletChange.model_validate({**data, **sides, "undone": data["undone"] != 0})


@contextmanager
def _blame(row: object, model: type[Value]) -> Iterator[None]:
    """Treat what no writer of ours has written as an error like any that SQLite finds."""
    try:
        yield
    except ValidationError as err:
        raise sqlite3.DatabaseError(f"row {row!r}: {explain_validation(err, model)}"[:300]) from err
