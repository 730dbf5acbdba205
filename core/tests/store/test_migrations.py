"""A log of an earlier version is copied, then rewritten."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib

from evograft.store.hash_chain import GENESIS, chain_rows
from evograft.store.sqlite import SqliteStore
from evograft_hookspecs import NoOptions
from evograft_hookspecs.drivers.store import NewRow


def as_version_1(path):
    """Turns a log into what the first version wrote: no fingerprints, and its own hashes."""
    with contextlib.closing(sqlite3.connect(path / "log.sqlite")) as db:
        stored = db.execute("SELECT seq, kind, key, body, rest FROM rows ORDER BY seq").fetchall()
        rows = [earlier(kind, key, text_of(body, rest)) for _, kind, key, body, rest in stored]
        values, _ = chain_rows(0, GENESIS, rows)
        db.execute("DROP TABLE rows")
        db.execute("CREATE TABLE rows (seq INTEGER PRIMARY KEY, kind TEXT, key TEXT, body TEXT, hash BLOB)")
        pairs = zip(rows, values, strict=True)
        whole = [(seq, row.kind, row.key, row.body, digest) for row, (seq, *_, digest) in pairs]
        db.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", whole)
        db.execute("PRAGMA user_version=1")
        db.commit()
    (path / "log.head").unlink()


def text_of(body, rest):
    return body if rest is None else body + zlib.decompress(rest).decode()


def earlier(kind, key, body):
    if kind == "trial":
        aside, _, trial = body.partition("\n")
        rest = {name: value for name, value in json.loads(aside).items() if name not in ("fingerprint", "score")}
        body = f"{json.dumps(rest)}\n{trial}"
    return NewRow(kind=kind, key=key, body=body)


def test_a_log_of_version_1_is_kept_as_a_copy_and_continues_as_the_newest(runs):
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
