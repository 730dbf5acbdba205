"""The store: a playbook in a file that any number of processes read and change."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from evograft.api import UserError, user_folder
from evograft_playbook.store.backup import back_up, keep_up
from evograft_playbook.store.change import BulletChange
from evograft_playbook.store.database import backup_path, blame_database, connect, create, describe_damage
from evograft_playbook.store.draft import PlaybookDraft
from evograft_playbook.store.rows import read_bullet, read_changes, read_playbook
from evograft_playbook.types import Bullet, Playbook


def get_usual_path() -> Path:
    """Return the playbook of the user, which all runs share."""
    return user_folder("state") / "playbook.sqlite"


class PlaybookStore:
    """A playbook in a file. Any thread may use it, and its user closes it.

    Reads see what is committed; every change is a transaction with its history.

    Args:
        path: the file.
        must_exist: a file that is not there is an error, and not made.

    Raises:
        UserError: the file is not there, no playbook, or of a newer version.
        PlaybookDamaged: it is not what was written.
    """

    def __init__(self, path: Path, *, must_exist: bool = False) -> None:
        self.path = path
        self._turn = threading.RLock()
        self._has_written = False
        if not path.exists():
            if backup_path(path).exists():
                raise describe_damage(path, "it is missing")
            if must_exist:
                raise UserError(f"there is no playbook {str(path)!r}: make one with evo playbook add or import")
            create(path)
        self._db = connect(path)
        try:
            with blame_database(path):
                keep_up(self._db, path)
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def load(self) -> Playbook:
        """Return all bullets as they are now."""
        with self._turn, blame_database(self.path):
            return read_playbook(self._db)

    def get(self, bullet_id: str) -> Bullet:
        """One bullet; one that is not there is a UserError."""
        with self._turn, blame_database(self.path):
            bullet = read_bullet(self._db, bullet_id)
        if bullet is None:
            raise UserError(
                f"there is no bullet {bullet_id!r} in {self.path}: see what there is with evo playbook list"
            )
        return bullet

    @contextlib.contextmanager
    def changing(self, source: str) -> Iterator[PlaybookDraft]:
        """Begin a transaction: its draft is written at the end of the block, or not at all if the block raises.

        Other processes wait meanwhile, so nothing slow belongs in it.

        Args:
            source: who or what changes the playbook.
        """
        with self._turn, blame_database(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                draft = PlaybookDraft(self._db, source=source)
                yield draft
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            self._has_written |= draft.has_changed

    def history(self, bullet_id: str | None = None, *, most: int = -1) -> list[BulletChange]:
        """Return the changes of a bullet, or of all, newest first.

        Args:
            bullet_id: `None`: of all.
            most: how many at most; -1: all.
        """
        with self._turn, blame_database(self.path):
            return read_changes(self._db, bullet_id=bullet_id, most=most)

    def close(self) -> None:
        """End the use of the file; what was changed is in its copy then."""
        with self._turn, contextlib.closing(self._db), blame_database(self.path):
            if self._has_written:
                back_up(self._db, self.path)
                self._has_written = False
