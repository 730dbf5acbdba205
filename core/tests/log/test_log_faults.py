"""Every fault of a log is a clear error or a clean continuation that says from where, never a silent restart."""

import argparse
import contextlib
import inspect
import os
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import zlib

import pytest
from python_process import PythonProcess
from waiting import wait_until

from evograft.errors import LogDamaged, ServiceError, UserError
from evograft.runs.writer_lock import WriterLock
from evograft.store.sqlite import SqliteStore
from evograft_hookspecs import NoOptions
from evograft_hookspecs.drivers.store import NewRow


@pytest.fixture
def killed(runs, tmp_path):
    """A run killed in the middle, so that its write-ahead log is still there."""
    path = tmp_path / "killed"
    pipeline = runs.write(trials=100_000, with_={"durations": "adversarial"})
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = PythonProcess("-m", "evograft", "run", pipeline, "--run-dir", path, cwd=tmp_path, **quiet)
    wal = path / "log.sqlite-wal"
    wait_until(lambda: wal.exists() and wal.stat().st_size > 300_000, process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return path


@pytest.fixture
def stopped(runs):
    return runs.run("stopped", trials=120)


def resume(runs, path, *arguments):
    return runs.evo_apart("resume", path, "--set", "budget.trials=150", *arguments)


def assert_refused(runs, done, path, *words):
    assert done.returncode == 4, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    for word in (*words, "evo export"):
        assert word in done.stderr
    export = runs.evo_apart("export", path)
    assert "Traceback" not in export.stderr
    return export


def test_a_killed_run_goes_on_and_says_from_where(runs, killed):
    rows = sqlite3.connect(killed / "log.sqlite").execute("SELECT count(*) FROM rows WHERE kind='trial'").fetchone()[0]
    done = runs.evo_apart("resume", killed, "--set", f"budget.trials={rows + 20}")
    assert done.returncode == 0
    assert f"resumed at trial {rows}" in done.stderr


def test_write_ahead_log_deleted(runs, killed):
    (killed / "log.sqlite-wal").unlink()
    assert_refused(runs, resume(runs, killed), killed, "log.sqlite")


def test_write_ahead_log_truncated(runs, killed):
    wal = killed / "log.sqlite-wal"
    os.truncate(wal, wal.stat().st_size // 2)
    done = resume(runs, killed)
    export = assert_refused(runs, done, killed, "write-ahead log", "deleted or cut", "--accept-loss")
    kept = len(export.stdout.splitlines())
    assert kept > 0
    accepted = runs.evo_apart("resume", killed, "--accept-loss", "--set", f"budget.trials={kept + 20}")
    assert accepted.returncode == 0, accepted.stderr
    assert f"resumed at trial {kept}" in accepted.stderr
    assert runs.trials(killed) == runs.trials(runs.run("whole", trials=kept + 20))


def test_a_page_flipped(runs, stopped):
    log = stopped / "log.sqlite"
    data = bytearray(log.read_bytes())
    place = data.index(b"lab.step", len(data) // 2)
    data[place : place + 4] = b"LAB."
    log.write_bytes(data)
    export = assert_refused(runs, resume(runs, stopped), stopped, "was changed after it was written")
    assert export.returncode == 4
    assert len(export.stdout.splitlines()) >= 100


def test_a_whole_page_of_garbage(runs, stopped):
    log = stopped / "log.sqlite"
    data = bytearray(log.read_bytes())
    data[4096 * 5 : 4096 * 6] = os.urandom(4096)
    log.write_bytes(data)
    assert_refused(runs, resume(runs, stopped), stopped, "log.sqlite")


def test_a_row_removed(runs, stopped):
    db = sqlite3.connect(stopped / "log.sqlite")
    db.execute("DELETE FROM rows WHERE seq = 50")
    db.commit()
    db.close()
    export = assert_refused(runs, resume(runs, stopped), stopped, "row 50 is missing")
    assert len(export.stdout.splitlines()) == 119


def test_the_last_rows_removed(runs, stopped):
    db = sqlite3.connect(stopped / "log.sqlite")
    db.execute("DELETE FROM rows WHERE seq > 100")
    db.commit()
    db.close()
    assert_refused(runs, resume(runs, stopped), stopped, "ends at row 100")


def test_the_command_in_a_message_is_one_for_a_shell(runs):
    path = runs.run("it's 1 & 2", trials=20)
    (path / "log.head").write_bytes((runs.run("longer", trials=30) / "log.head").read_bytes())
    said = resume(runs, path).stderr.replace("; ", "\n").splitlines()
    export, resumption = (shlex.split(line.partition("with: ")[2]) for line in said if "with: " in line)
    assert export == ["evo", "export", str(path)]
    assert resumption == ["evo", "resume", str(path), "--accept-loss"]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_file_cut(runs, stopped, share):
    log = stopped / "log.sqlite"
    os.truncate(log, int(log.stat().st_size * share))
    assert_refused(runs, resume(runs, stopped), stopped, "log.sqlite")


def test_log_missing(runs, stopped):
    (stopped / "log.sqlite").unlink()
    done = resume(runs, stopped)
    assert done.returncode == 4
    assert "log.sqlite is missing" in done.stderr
    assert not (stopped / "log.sqlite").exists(), "it began anew"


def test_a_folder_that_is_moved_while_its_run_works_ends_it_and_is_resumed_where_it_is_now(runs, tmp_path):
    path, moved, notes, gate = (tmp_path / name for name in ("run", "moved", "notes", "gate"))
    notes.mkdir()
    with_ = {"held_at": [9], "held_until": str(gate), "notes": str(notes)}
    process = runs.start("-m", "evograft", "run", runs.write(trials=30, with_=with_), "--run-dir", path)
    wait_until(lambda: any(notes.glob("9-*")), process)
    path.rename(moved)
    gate.touch()
    said = process.communicate()[1]
    assert process.returncode == 4, said
    assert f"Error: {str(path)!r} was moved or removed while the run was at work" in said
    assert runs.evo_apart("resume", moved).returncode == 0
    assert runs.trials(moved) == runs.trials(runs.run("undisturbed", trials=30))


def test_two_resumes_at_once(runs, stopped):
    with WriterLock(stopped):
        done = resume(runs, stopped)
    assert done.returncode == 2
    assert f"process {os.getpid()} on host {socket.gethostname()} since 20" in done.stderr
    assert f"stop that one first, with: evo stop {shlex.quote(str(stopped))}" in done.stderr


def test_a_second_writer_in_the_same_moment_is_the_second(runs, stopped):
    outcomes = []

    def work():
        outcomes.append(resume(runs, stopped, "--set", "plugins.lab.with.x=1").returncode)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [2, 2]


@pytest.fixture
def small_disk(tmp_path):
    mount = tmp_path / "disk"
    mount.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(mount)], check=False)
    if done.returncode != 0:
        pytest.skip("needs the right to mount a small file system")
    yield mount
    subprocess.run(["umount", str(mount)], check=True)


def fill(mount):
    with (mount / "rest").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def make_read_only(mount):
    subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)


def test_disk_full(runs, small_disk, tmp_path):
    path = small_disk / "run"
    done = runs.evo_apart("run", runs.write(trials=3000, with_={"padding": 3000}), "--run-dir", path)
    assert done.returncode == 4, done.stderr
    assert "free some space, then: evo resume" in done.stderr
    assert "Traceback" not in done.stderr
    moved = tmp_path / "larger"
    shutil.copytree(path, moved)
    done = runs.evo_apart("resume", moved, "--set", "budget.trials=300")
    assert done.returncode == 0, done.stderr
    assert runs.trials(moved)[:300] == runs.trials(runs.run("whole", trials=300, with_={"padding": 3000}))[:300]


def test_a_run_on_a_disk_that_cannot_be_written_can_be_looked_at(runs, small_disk, tmp_path):
    path = small_disk / "run"
    shutil.copytree(runs.run("whole", trials=20, with_={"padding": 5000}), path)
    before = runs.trials(path)
    make_read_only(small_disk)
    assert runs.trials(path) == before
    for command in (("status",), ("export",), ("show", "--trial", "best"), ("report", "--output", tmp_path / "page")):
        done = runs.evo_apart(command[0], path, *command[1:])
        assert (done.returncode, done.stderr) == (0, "")
    for command in (("tell", "try beam search"), ("resume",)):
        done = runs.evo_apart(command[0], path, *command[1:])
        assert done.returncode == 4, done.stderr
        assert "Read-only file system" in done.stderr


def test_a_write_ahead_log_that_cannot_be_read_is_said(runs, killed, small_disk):
    path = small_disk / "run"
    path.mkdir()
    for name in ("pipeline.lock.yaml", "log.head"):
        shutil.copy(killed / name, path)
    os.truncate(killed / "log.sqlite-wal", 100_000)
    for name in ("log.sqlite", "log.sqlite-wal"):
        shutil.copy(killed / name, path)
    make_read_only(small_disk)
    for command in ("status", "export"):
        done = runs.evo_apart(command, path)
        assert done.returncode == 4, done.stderr
        assert "cannot be read where nothing can be written: copy the folder" in done.stderr


def test_an_instruction_on_a_full_disk_is_said_and_leaves_nothing(runs, small_disk):
    path = small_disk / "run"
    shutil.copytree(runs.run("whole", trials=20), path)
    fill(small_disk)
    done = runs.evo_apart("tell", path, "try beam search")
    assert (done.returncode, done.stdout) == (4, "")
    assert len(done.stderr.splitlines()) == 1
    assert "cannot leave a message in" in done.stderr
    assert "No space left on device" in done.stderr
    assert not list(path.glob("inbox/*"))


def test_a_newer_schema_is_refused(runs, stopped):
    db = sqlite3.connect(stopped / "log.sqlite")
    db.execute("PRAGMA user_version = 99")
    db.close()
    done = resume(runs, stopped)
    assert done.returncode == 2
    assert "schema 99" in done.stderr
    assert "upgrade evograft" in done.stderr


def test_a_large_text_that_was_changed_is_noticed(tmp_path):
    store = SqliteStore(NoOptions())
    store.create(tmp_path, [])
    store.open(tmp_path, durable=False)
    digest = store.put_artifact("text" * 2000)
    assert store.get_artifact(digest) == "text" * 2000
    store.close()
    db = sqlite3.connect(tmp_path / "artifacts.sqlite")
    db.execute("UPDATE artifacts SET text = 'other'")
    db.commit()
    db.close()
    store.open(tmp_path, durable=False)
    with pytest.raises(LogDamaged, match="holds it changed"):
        store.get_artifact(digest)
    with pytest.raises(LogDamaged, match="lacks a program"):
        store.get_artifact("0" * 64)
    store.close()


TEXTS = ("", "{}", "first\n", "first\nsecond", "\n" + "x" * 9000, "y" * 9000, "first\n" + "ünïcode " * 900)


def test_texts_come_back_as_they_were_however_they_are_kept(tmp_path):
    store = SqliteStore(NoOptions())
    store.create(tmp_path, [])
    store.open(tmp_path, durable=False)
    store.append(NewRow(kind="tool", key="", body=text) for text in TEXTS)
    assert [row.body for row in store.rows()] == list(TEXTS)
    assert [store.get(seq).body for seq in range(len(TEXTS))] == list(TEXTS)
    assert [row.body for row in store.heads("tool")] == [text.partition("\n")[0] for text in TEXTS]
    store.close()


def test_how_a_text_is_compressed_is_not_part_of_what_was_written(tmp_path):
    store = SqliteStore(NoOptions())
    store.create(tmp_path, [])
    store.open(tmp_path, durable=False)
    store.append([NewRow(kind="tool", key="", body="first\n" + "text " * 900)])
    store.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "log.sqlite")) as db, db:
        (rest,) = db.execute("SELECT rest FROM rows").fetchone()
        db.execute("UPDATE rows SET rest = ?", (zlib.compress(zlib.decompress(rest), 1),))
    store.open(tmp_path, durable=False)
    assert [len(row.body) for row in store.rows()] == [4506]
    store.close()


def test_a_log_of_prompts_and_programs_takes_less_than_half_their_size(tmp_path):
    store = SqliteStore(NoOptions())
    store.create(tmp_path, [])
    store.open(tmp_path, durable=True)
    source = inspect.getsource(argparse)
    prompts = [source[start : start + 12_000] for start in range(0, 60_000, 600)]
    for number, prompt in enumerate(prompts):
        store.append([NewRow(kind="answer", key=str(number), body=f"{{}}\n{prompt}")])
        store.put_artifact(prompt[:5000])
    store.close()
    kept = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert kept < sum(len(prompt) + 5000 for prompt in prompts) / 2


def test_rows_are_read_back_in_order_and_from_any_place(tmp_path):
    store = SqliteStore(NoOptions())
    store.create(tmp_path, [])
    store.open(tmp_path, durable=True)
    store.append(NewRow(kind="trial", key=str(number), body="{}") for number in range(5))
    last = store.append([NewRow(kind="control", key="stop", body="ünïcode")])
    assert last == 5
    assert [row.seq for row in store.rows(after=2)] == [3, 4, 5]
    assert store.get(5).body == "ünïcode"
    assert [key for _, key in store.keys("trial")] == ["0", "1", "2", "3", "4"]
    with pytest.raises(KeyError):
        store.get(6)
    store.close()


def test_a_folder_without_a_run_is_the_users_mistake(runs, tmp_path):
    done = runs.evo_apart("resume", tmp_path)
    assert done.returncode == 2
    assert "no run" in done.stderr


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises((ServiceError, UserError), match="cannot write"):
        WriterLock(tmp_path / "missing" / "run")
