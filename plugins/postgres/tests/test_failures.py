"""Databases that go away, fill up or are cut off, and two processes on one run: nothing is lost, nothing counts twice.

Every log at the end has the trials of an undisturbed run in a folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest
from coordinators import HELD_AT, TRIALS, Coordinator, HeldRun, wait_until
from private_server import PrivateServer
from proxy import Proxy
from tenacity import Retrying

from evograft.api import ServiceError
from evograft_postgres.database import Database, _Absence, _absences

pytestmark = pytest.mark.postgres


@pytest.fixture
def own_server(programs):
    """A server that a test may stop."""
    # Not below pytest's own folder, which other users may not look into.
    with tempfile.TemporaryDirectory(prefix="evo-pg-") as folder:
        Path(folder).chmod(0o755)
        server = PrivateServer(programs, Path(folder) / "own")
        server.make()
        server.start()
        server.sql("CREATE DATABASE runs")
        yield server
        if (server.data / "postmaster.pid").exists():
            server.stop("immediate")


@pytest.fixture
def undisturbed(runs):
    """The trials that every run here ends with."""
    return runs.trials(runs.run("undisturbed", trials=TRIALS))


def rows(server, database):
    there = server.sql("SELECT to_regclass('evograft.rows') IS NOT NULL", database)[0][0]
    return server.sql("SELECT count(*) FROM evograft.rows", database)[0][0] if there else 0


def is_held(server, database):
    """Whether all is written that can be before the trial that waits."""
    return rows(server, database) >= HELD_AT


def at_the_trial(held, working, server, database):
    wait_until(lambda: is_held(server, database), working)


def test_a_run_goes_on_when_its_database_was_restarted(runs, own_server, undisturbed, tmp_path):
    held = HeldRun(runs, tmp_path / "h", own_server.url("runs"))
    working = held.start()
    at_the_trial(held, working, own_server, "runs")
    own_server.stop("fast")
    held.let_go()
    own_server.start()
    assert working.wait() == 0, working.said
    assert runs.trials(held.path) == undisturbed


def test_a_run_whose_database_stays_away_ends_resumable(runs, own_server, undisturbed, tmp_path):
    # It has to be enough for the run that resumes it, on a machine that is busy.
    held = HeldRun(runs, tmp_path / "h", own_server.url("runs"), patience=5)
    working = held.start()
    at_the_trial(held, working, own_server, "runs")
    own_server.stop("fast")
    held.let_go()
    assert working.wait() == 4
    assert f"{held.url} has been away for 5 s" in working.said
    error = working.said.splitlines()[-1]
    assert "Is the server running" not in error, "libpq's guess"
    command = shlex.split(error.partition("once it is back: ")[2])
    assert command[:2] == ["evo", "resume"]
    assert command[2].startswith(f"{held.url}#")
    # It would log what became of its pipeline, next to the one line that counts.
    assert "psycopg" not in working.said
    assert working.said.count("is away: it is waited for, for up to 5 s") == 1
    own_server.start()
    assert held.resume().wait() == 0
    assert runs.trials(held.path) == undisturbed


def test_connections_of_a_process_have_one_patience_for_all(own_server, monkeypatch):
    url = own_server.url("runs")
    with contextlib.closing(Database(url, "test", patience=60, hint="", prepare=lambda _: None)) as connected:
        assert connected.run(count_one) == 1
        own_server.stop("fast")
        # As another connection leaves it that has waited for as long.
        monkeypatch.setitem(_absences, url, _Absence(time.monotonic() - 60))
        never = partial(Retrying, sleep=lambda _: pytest.fail("it has waited"))
        monkeypatch.setattr("evograft_postgres.database.Retrying", never)
        with pytest.raises(ServiceError, match="has been away for 60 s"):
            connected.run(count_one)
        own_server.start()
        assert connected.run(count_one) == 1
        assert url not in _absences


def test_the_patience_of_others_does_not_begin_with_a_connection_that_does_not_wait(own_server):
    url = own_server.url("runs")
    own_server.stop("fast")
    with contextlib.closing(Database(url, "test", patience=60, hint="", prepare=lambda _: None)) as never_connected:
        with pytest.raises(ServiceError):
            never_connected.run(count_one)
        assert url not in _absences


def count_one(connection):
    return connection.execute("SELECT 1").fetchone()[0]


def test_rows_that_a_crash_of_the_server_loses_are_done_again(runs, own_server, undisturbed, tmp_path):
    held = HeldRun(runs, tmp_path / "h", own_server.url("runs"))
    working = held.start()
    at_the_trial(held, working, own_server, "runs")
    # As a crash without a flush would: the row that the run has seen written is gone.
    own_server.sql("DELETE FROM evograft.rows WHERE seq = (SELECT max(seq) FROM evograft.rows)", "runs")
    own_server.stop("immediate")
    own_server.start()
    held.let_go()
    assert working.wait() == 4
    assert "the server lost row" in working.said
    assert held.resume().wait() == 0
    assert runs.trials(held.path) == undisturbed


def test_a_run_that_is_cut_off_for_a_while_goes_on(runs, shared_server, database, undisturbed, tmp_path):
    name = database.rpartition("/")[2]
    with Proxy(shared_server.port) as network:
        held = HeldRun(runs, tmp_path / "h", shared_server.url(name, port=network.port))
        working = held.start()
        at_the_trial(held, working, shared_server, name)
        network.hold()
        held.let_go()
        network.drop()
        network.pass_on()
        assert working.wait() == 0, working.said
    path = runs.folder / "read"
    assert runs.evo("copy", f"{database}#held", path).returncode == 0
    assert runs.trials(path) == undisturbed


def test_of_two_processes_on_one_run_behind_a_partition_one_goes_on(
    runs, shared_server, database, undisturbed, tmp_path
):
    name = database.rpartition("/")[2]
    with Proxy(shared_server.port) as network:
        held = HeldRun(runs, tmp_path / "h", shared_server.url(name, port=network.port))
        first = held.start()
        at_the_trial(held, first, shared_server, name)
        network.part()
        held.let_go()
        second = Coordinator(runs, tmp_path / "h" / "second", "resume", f"{database}#held")
        assert second.wait() == 0, second.said
        there = shared_server.sql("SELECT seq, hash FROM evograft.rows ORDER BY seq", name)
        network.drop()
        network.pass_on()
        assert first.wait() == 4, first.said
    assert re.search(rf"was written by (another process|process {second.process.pid} on host)", first.said), first.said
    assert "nothing of the other's was overwritten" in first.said
    assert shared_server.sql("SELECT seq, hash FROM evograft.rows ORDER BY seq", name) == there
    assert trials_of(runs, database) == undisturbed


def test_a_process_that_was_stopped_and_comes_back_finds_that_another_went_on(
    runs, shared_server, database, undisturbed, tmp_path
):
    name = database.rpartition("/")[2]
    held = HeldRun(runs, tmp_path / "h", database)
    first = held.start()
    at_the_trial(held, first, shared_server, name)
    first.process.send_signal(signal.SIGSTOP)
    refused = held.resume("refused")
    assert refused.wait() == 2
    assert f"is being written by process {first.process.pid} on host" in refused.said
    # As the server does once a machine no longer answers.
    shared_server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    held.let_go()
    second = held.resume()
    assert second.wait() == 0, second.said
    first.process.send_signal(signal.SIGCONT)
    assert first.wait() == 4, first.said
    # By then it may have claimed the run again, which nobody works on any more.
    assert re.search(rf"was written by (another process|process {second.process.pid} on host)", first.said), first.said
    assert trials_of(runs, database) == undisturbed


def test_a_process_that_loses_its_connections_takes_its_run_again(runs, shared_server, database, undisturbed, tmp_path):
    name = database.rpartition("/")[2]
    held = HeldRun(runs, tmp_path / "h", database)
    working = held.start()
    at_the_trial(held, working, shared_server, name)
    for _ in range(3):
        shared_server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        wait_until(lambda: json.loads(runs.evo("status", held.path, "--json").stdout)["writer"] is not None, working)
    assert held.resume("refused").wait() == 2
    held.let_go()
    assert working.wait() == 0, working.said
    assert runs.trials(held.path) == undisturbed


def test_a_row_whose_answer_was_cut_off_is_written_once(runs, shared_server, database, undisturbed, tmp_path):
    """The run is killed, or cut off, after the server has done what it was asked and before it says so."""
    name = database.rpartition("/")[2]
    with Proxy(shared_server.port) as network:
        held = HeldRun(runs, tmp_path / "h", shared_server.url(name, port=network.port))
        working = held.start()
        at_the_trial(held, working, shared_server, name)
        before = rows(shared_server, name)
        network.hold_answers()
        held.let_go()
        wait_until(lambda: rows(shared_server, name) > before, working)
        network.drop()
        network.pass_on()
        assert working.wait() == 0, working.said
    assert trials_of(runs, database) == undisturbed


def test_a_process_killed_before_it_hears_that_its_row_is_written_resumes_behind_it(
    runs, shared_server, database, undisturbed, tmp_path
):
    name = database.rpartition("/")[2]
    with Proxy(shared_server.port) as network:
        held = HeldRun(runs, tmp_path / "h", shared_server.url(name, port=network.port))
        working = held.start()
        at_the_trial(held, working, shared_server, name)
        before = rows(shared_server, name)
        network.hold_answers()
        held.let_go()
        wait_until(lambda: rows(shared_server, name) > before, working)
        working.kill()
        network.drop()
        network.pass_on()
        second = Coordinator(runs, tmp_path / "h" / "second", "resume", f"{database}#held")
        assert second.wait() == 0, second.said
    assert trials_of(runs, database) == undisturbed


@pytest.fixture
def small(own_server):
    """A database of 24 MB, on a file system of its own."""
    folder = own_server.folder / "small"
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=0777", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(mounting, check=False, capture_output=True).returncode:
        pytest.skip("a file system of its own needs root: mount")
    shutil.chown(folder, "postgres", "postgres")
    own_server.sql(f"CREATE TABLESPACE small LOCATION '{folder}'")
    own_server.sql("CREATE DATABASE little TABLESPACE small")
    yield "little"
    own_server.stop("immediate")
    subprocess.run(["umount", "-l", str(folder)], check=False)


def fill(server, database):
    """The file that takes what room there is; a table could not be dropped again, for that is written down as well."""
    # A new database's catalogue is full of holes until then: a block of it could fail to be written in place of the log's.
    server.sql("CHECKPOINT", database)
    ballast = server.folder / "small" / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    return ballast


def test_a_full_database_ends_the_run_resumable(runs, own_server, small, undisturbed, tmp_path):
    held = HeldRun(runs, tmp_path / "h", own_server.url(small))
    working = held.start()
    at_the_trial(held, working, own_server, small)
    ballast = fill(own_server, small)
    held.let_go()
    assert working.wait() == 4, working.said
    assert "takes no more: could not extend file" in working.said
    assert "free some space, then: evo resume" in working.said
    ballast.unlink()
    resumed = held.resume()
    assert resumed.wait() == 0, resumed.said
    assert runs.trials(held.path) == undisturbed


def trials_of(runs, database):
    path = runs.folder / "copy"
    copied = runs.evo("copy", f"{database}#held", path)
    assert copied.returncode == 0, copied.stderr
    return runs.trials(path)
