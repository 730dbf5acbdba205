"""A copy has the rows of the run, hash by hash, whichever way it goes, and whichever version wrote them."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from coordinators import wait_until

from evograft.api import SCHEMA_VERSION

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.postgres


def hashes(path):
    with closing(sqlite3.connect(path / "log.sqlite")) as db:
        return [digest for (digest,) in db.execute("SELECT hash FROM rows ORDER BY seq")]


def shared_hashes(server, url):
    return [digest for (digest,) in server.sql("SELECT hash FROM evograft.rows ORDER BY seq", url.rpartition("/")[2])]


def test_there_and_back_every_row_has_its_hash(runs, database, shared_server):
    path = runs.run("there", trials=40, with_={"padding": 6000})
    there = json.loads(runs.evo("copy", path, database, "--json").stdout)
    assert shared_hashes(shared_server, database) == hashes(path)
    assert there["chain"] == hashes(path)[-1].hex()
    back = runs.evo("copy", f"{database}#there", runs.folder / "back")
    assert back.returncode == 0, back.stderr
    assert hashes(runs.folder / "back") == hashes(path)
    for each in (path, runs.folder / "back"):
        runs.resume(each, "budget.trials=60")
    assert runs.trials(runs.folder / "back") == runs.trials(path)


def test_a_copy_is_continued_and_another_run_is_left_alone(runs, database):
    path, other = runs.run("mine", trials=20), runs.run("other", trials=20)
    assert "copied 22 rows" in runs.evo("copy", path, database).stdout
    runs.resume(path, "budget.trials=30")
    assert runs.evo("copy", path, f"{database}#mine").returncode == 0
    assert runs.evo("copy", f"{database}#mine", runs.folder / "folder").returncode == 0
    for target in (other, runs.folder / "folder"):
        refused = runs.evo("copy", path if target == other else other, target)
        assert refused.returncode == 2
        assert "holds another run" in refused.stderr
    runs.resume(runs.folder / "folder", "budget.trials=40")
    runs.resume(path, "budget.trials=50")
    assert "went on by itself" in runs.evo("copy", path, runs.folder / "folder").stderr
    (runs.folder / "full").mkdir()
    (runs.folder / "full" / "notes.txt").touch()
    assert "is not empty" in runs.evo("copy", path, runs.folder / "full").stderr


def test_a_copy_that_was_killed_is_continued(runs, database, shared_server):
    path = runs.run("long", trials=3000)
    name = database.rpartition("/")[2]
    killed = subprocess.Popen(
        [sys.executable, "-m", "evograft", "copy", str(path), database],
        cwd=runs.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def has_begun():
        there = shared_server.sql("SELECT to_regclass('evograft.rows') IS NOT NULL", name)[0][0]
        return there and shared_server.sql("SELECT count(*) FROM evograft.rows", name)[0][0] > 500

    wait_until(lambda: killed.poll() is not None or has_begun())
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    runs.evo("status", f"{database}#long")
    again = runs.evo("copy", path, database)
    assert again.returncode == 0, again.stderr
    assert shared_hashes(shared_server, database) == hashes(path)


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_a_log_of_every_version_is_copied_as_this_one_writes_it(runs, database, shared_server, version, tmp_path):
    if version < SCHEMA_VERSION:
        with tarfile.open(ROOT / f"core/tests/log/logs/version-{version}.tar.gz") as archive:
            archive.extractall(tmp_path, filter="data")
        path = tmp_path / f"version-{version}"
    else:
        path = runs.run("new", trials=20)
    before = (path / "log.sqlite").read_bytes()
    copied = runs.evo("copy", path, database)
    assert copied.returncode == 0, copied.stderr
    assert (path / "log.sqlite").read_bytes() == before
    address = f"{database}#{path.name}"
    assert runs.evo("export", address).returncode == 0
    # What a rewritten log has is what its own migration gives it.
    shutil.copytree(path, tmp_path / "rewritten")
    migrate(tmp_path / "rewritten")
    assert shared_hashes(shared_server, database) == hashes(tmp_path / "rewritten")


def migrate(path):
    from evograft.store.sqlite import SqliteStore
    from evograft_hookspecs import NoOptions

    store = SqliteStore(NoOptions())
    store.open(path, durable=False)
    store.close()
