"""A run whose log is in PostgreSQL equals one in a folder, and other machines reach it by its address."""

from __future__ import annotations

import json
import shutil

import pytest
from coordinators import HELD_AT, TRIALS, Coordinator, HeldRun, wait_until

from evograft.api import writer_of

pytestmark = pytest.mark.postgres


def store(url):
    return {"driver": "postgres", "url": url}


def test_a_run_has_the_same_trials_as_one_in_a_folder(runs, database):
    there = runs.run("there", trials=60, store=store(database), with_={"padding": 6000})
    here = runs.run("here", trials=60, with_={"padding": 6000})
    assert runs.trials(there) == runs.trials(here)
    assert not (there / "log.sqlite").exists()


def test_another_machine_needs_the_address_only(runs, database, elsewhere):
    path = runs.run("größe-日本語", trials=30, store=store(database))
    before = runs.trials(path)
    shutil.rmtree(path)
    elsewhere()
    address = f"{database}#größe-日本語"
    standing = json.loads(runs.evo("status", address, "--json").stdout)
    assert (standing["run"], standing["trials"], standing["state"]) == ("größe-日本語", 30, "complete")
    listed = runs.evo("status", "--all", database)
    assert "größe-日本語" in listed.stdout
    assert f"{database}#{standing['id']}" in listed.stdout
    assert not listed.stderr
    assert len(runs.evo("export", address).stdout.splitlines()) == 30
    assert "gets this on its next resume" in runs.evo("tell", address, "größer").stdout
    resumed = runs.evo("resume", address, "--set", "budget.trials=60")
    assert resumed.returncode == 0, resumed.stderr
    assert len(runs.evo("export", f"{database}#latest").stdout.splitlines()) == 60
    copied = runs.evo("copy", address, runs.folder / "copy")
    assert copied.returncode == 0, copied.stderr
    trials = runs.trials(runs.folder / "copy")
    assert trials[:30] == before
    assert "größer" in [advice["text"] for advice in trials[-1]["proposal"]["advice"]]


def test_a_live_run_is_seen_told_and_stopped_from_another_machine(runs, database, tmp_path, elsewhere):
    held = HeldRun(runs, tmp_path / "held", database)
    working = held.start()
    address = f"{database}#held"
    elsewhere()
    wait_until(lambda: runs.evo("status", address).returncode == 0, working)

    def standing():
        return json.loads(runs.evo("status", address, "--json").stdout)

    wait_until(lambda: any(each["trial"] == HELD_AT for each in standing()["running"]), working)
    assert standing()["writer"] == working.process.pid
    refused = runs.evo("resume", address)
    assert refused.returncode == 2
    assert f"is being written by process {working.process.pid} on host" in refused.stderr
    assert runs.evo("tell", address, "be quick").stdout == "instruction queued for held\n"
    stopping = Coordinator(runs, tmp_path / "third", "stop", address)
    assert (working.wait(), stopping.wait()) == (130, 0)
    assert f"stopped held; resume it with: evo resume '{address.partition('#')[0]}#" in stopping.said
    assert standing()["state"] == "stopped by evo stop"
    held.let_go()
    assert held.resume().wait() == 0
    assert standing()["trials"] == TRIALS


def test_the_machine_that_began_a_run_keeps_its_own_folder(runs, database):
    path = runs.run("mine", trials=10, store=store(database))
    assert json.loads(runs.evo("status", f"{database}#mine", "--json").stdout)["folder"] == str(path)
    assert writer_of(path) is None


def test_a_database_that_has_moved_is_named_once_by_its_new_address(runs, database):
    path = runs.run("mine", trials=10, store=store(database))
    moved = database.replace("127.0.0.1", "localhost")
    assert runs.evo("status", f"{moved}#mine").returncode == 0
    place = json.loads((path / "shared.json").read_text())
    assert place["options"]["url"] == moved
    assert runs.evo("resume", path, "--set", "budget.trials=20").returncode == 0


def test_of_two_runs_of_a_name_one_is_named_by_its_id(runs, database, elsewhere, tmp_path):
    first = runs.run("same", trials=5, store=store(database))
    (tmp_path / "other").mkdir()
    shutil.move(first, tmp_path / "other" / "same")
    runs.run("same", trials=8, store=store(database))
    elsewhere()
    refused = runs.evo("status", f"{database}#same")
    assert refused.returncode == 2
    assert "name one by its id" in refused.stderr
    listed = json.loads(runs.evo("status", "--all", database, "--json").stdout)
    assert {each["trials"] for each in listed} == {5, 8}
    for each in listed:
        assert str(each["trials"]) in runs.evo("status", f"{database}#{each['id']}").stdout


def test_a_start_that_fails_leaves_no_run(runs, database):
    broken = runs.write(trials=5, store=store(database), with_={"broken_at": 0})
    runs.evo("run", broken, "--run-dir", runs.folder / "broken")
    assert runs.evo("status", f"{database}#broken").returncode in (0, 2)
    assert runs.evo(
        "run", runs.write(trials=5, store=store(database), llm={"driver": "openai", "model": "m"})
    ).returncode
    listed = runs.evo("status", "--all", database, "--json")
    assert all(each["run"] == "broken" for each in json.loads(listed.stdout or "[]"))


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("postgresql://evo@127.0.0.1:{port}/nowhere#x", 'database "nowhere" does not exist; create it'),
        ("postgresql://nobody-here@127.0.0.1:{port}/postgres#x", 'role "nobody-here" does not exist; create it'),
        ("postgresql://evo@127.0.0.1:1/postgres#x", "Connection refused"),
        ("postgresql://evo@127.0.0.1:{port}/postgres#x", "no run 'x' in postgresql://evo@127.0.0.1:"),
        ("postgresql:///postgres?service=missing#x", 'definition of service "missing" not found'),
        ("postgresql://evo@127.0.0.1:{port}/postgres?nonsense=1#x", 'invalid URI query parameter: "nonsense"'),
        ("mysql://evo@127.0.0.1/db#x", "store.driver: 'mysql' unknown"),
    ],
)
def test_an_address_that_leads_nowhere_is_an_error_in_one_line(runs, shared_server, address, words):
    done = runs.evo("status", address.format(port=shared_server.port))
    assert done.returncode in (2, 4), done.stderr
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_without_rights_to_write_reads_and_is_told_who_may_write(runs, database, shared_server, elsewhere):
    runs.run("readable", trials=10, store=store(database))
    name = database.rpartition("/")[2]
    shared_server.sql("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN")
    shared_server.sql("GRANT USAGE ON SCHEMA evograft TO reader", name)
    shared_server.sql("GRANT SELECT ON ALL TABLES IN SCHEMA evograft TO reader", name)
    elsewhere()
    address = f"{shared_server.url(name, 'reader')}#readable"
    assert "complete" in runs.evo("status", address).stdout
    assert len(runs.evo("export", address).stdout.splitlines()) == 10
    for command in (("tell", address, "x"), ("resume", address, "--set", "budget.trials=20")):
        refused = runs.evo(*command)
        assert refused.returncode == 2, refused.stderr
        assert "permission denied" in refused.stderr
        assert "let the owner of schema evograft grant this user" in refused.stderr
    shared_server.sql("DROP OWNED BY reader", name)


def test_who_may_not_make_the_tables_is_told_what_the_owner_does(runs, database, shared_server):
    name = database.rpartition("/")[2]
    shared_server.sql("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN")
    done = runs.evo("run", runs.write(trials=5, store=store(shared_server.url(name, "guest"))))
    assert done.returncode == 2
    assert "GRANT CREATE ON DATABASE" in done.stderr


def test_tables_and_rows_of_a_later_version_are_left_alone(runs, database, shared_server):
    runs.run("later", trials=5, store=store(database))
    name = database.rpartition("/")[2]
    shared_server.sql("UPDATE evograft.runs SET version = 99", name)
    assert "has schema 99, this evograft reads" in runs.evo("status", f"{database}#later").stderr
    shared_server.sql("UPDATE evograft.layout SET version = 99", name)
    refused = runs.evo("status", f"{database}#later")
    assert (refused.returncode, "upgrade evograft-postgres" in refused.stderr) == (2, True)


def test_a_row_that_was_changed_is_found(runs, database, shared_server):
    path = runs.run("changed", trials=10, store=store(database))
    name = database.rpartition("/")[2]
    shared_server.sql("UPDATE evograft.rows SET body = body || ' '::bytea WHERE seq = 5", name)
    done = runs.evo("resume", path, "--set", "budget.trials=20")
    assert done.returncode == 4
    assert "row 5 was changed after it was written" in done.stderr
    assert runs.evo("export", path).returncode == 4
