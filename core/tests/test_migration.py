"""A log of an earlier version is copied, then rewritten."""

from __future__ import annotations

import contextlib
import json
import sqlite3

from evograft.drivers.store.sqlite import GENESIS, SqliteStore, _chain
from evograft_hookspecs import NoOptions
from evograft_hookspecs.ports import NewRow


def as_version_1(path):
    """Turns a log into what the first version wrote: no fingerprints, and its own hashes."""
    with contextlib.closing(sqlite3.connect(path / "log.sqlite")) as db:
        rows = [earlier(*row) for row in db.execute("SELECT kind, key, body FROM rows ORDER BY seq").fetchall()]
        values, _ = _chain(0, GENESIS, rows)
        db.execute("DELETE FROM rows")
        db.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", values)
        db.execute("PRAGMA user_version=1")
        db.commit()
    (path / "log.head").unlink()


def earlier(kind, key, body):
    if kind == "trial":
        aside, _, trial = body.partition("\n")
        rest = {name: value for name, value in json.loads(aside).items() if name != "fingerprint"}
        body = f"{json.dumps(rest)}\n{trial}"
    return NewRow(kind=kind, key=key, body=body)


def test_a_log_of_version_1_is_kept_as_a_copy_and_goes_on_as_version_2(runs):
    path, other = runs.run("old", trials=40), runs.run("new", trials=60)
    before = runs.trials(path)
    as_version_1(path)
    refused = runs.evo("status", path)
    assert refused.returncode == 2
    assert "earlier evograft (schema 1)" in refused.stderr
    runs.resume(path, "budget.trials=60")
    assert runs.trials(path)[:40] == before
    assert runs.trials(path) == runs.trials(other)
    with contextlib.closing(sqlite3.connect(path / "log.v1.sqlite")) as copy:
        assert copy.execute("SELECT count(*) FROM rows WHERE kind = 'trial'").fetchone() == (40,)


def test_a_log_of_version_1_that_is_damaged_is_not_rewritten(runs):
    path = runs.run("old", trials=10)
    as_version_1(path)
    with contextlib.closing(sqlite3.connect(path / "log.sqlite")) as db:
        db.execute("UPDATE rows SET body = body || ' ' WHERE seq = 5")
        db.commit()
    done = runs.evo("resume", path, "--set", "budget.trials=20")
    assert done.returncode == 4
    assert "row 5 was changed" in done.stderr
    assert not (path / "log.v1.sqlite").exists()


def test_what_is_migrated_can_be_opened_again(runs):
    path = runs.run("old", trials=10)
    as_version_1(path)
    for _ in range(2):
        store = SqliteStore(NoOptions())
        store.open(path, durable=False)
        assert len(list(store.keys("trial"))) == 10
        store.close()
