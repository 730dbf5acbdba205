"""`evo export` goes around whatever is damaged in a log: all other trials are there, and each lost row is named."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evograft.errors import LogDamaged
from evograft.log.codec import header_row
from evograft.log.records import NO_PRINTS, Finished
from evograft.runs.reader import salvaging
from evograft.store.salvage import Pages

PAGE = 4096
TRIALS = 150


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A log of 150 trials, some of whose programs have a page of their own, by a kernel without plugins' help."""
    from evograft.log.journal import Journal
    from evograft.log.records import Header
    from evograft.store.sqlite import SqliteStore
    from evograft_hookspecs import Candidate, Evaluation, NoOptions, Trial

    folder = tmp_path_factory.mktemp("whole")
    store = SqliteStore(NoOptions())
    store.create(folder, [header_row(Header("0", "whole", 0, 1))])
    store.open(folder, durable=False)
    journal = Journal(store)
    for number in range(TRIALS):
        source = "\n".join(f"{number} {line**7}" for line in range(10 if number % 5 else 300))
        candidate = Candidate.of(source, kind="text", operator="lab.step", trial=number)
        evaluation = Evaluation(status="ok", score=float(number), feedback="größer")
        journal.write_trial(
            Trial(number=number, view=0, candidate=candidate, evaluation=evaluation), NO_PRINTS, elapsed=1.0
        )
    store.close()
    return folder


def read(folder):
    """The numbers of the trials that can be read, and what is said of the others."""
    damage: list[LogDamaged] = []
    with salvaging(folder, damage) as records:
        found = [record.trial.number for record in records if isinstance(record, Finished)]
    return found, damage


def pages_of(folder):
    """By trial the pages that hold a part of its row: those in which changing all bytes changes it, found by looking."""
    data, places = (folder / "log.sqlite").read_bytes(), {}
    with closing(sqlite3.connect(folder / "log.sqlite")) as db:
        for key, rest, digest in db.execute("SELECT key, rest, hash FROM rows WHERE kind = 'trial'"):
            offsets = {data.index(digest)}
            for start in range(0, len(rest or b""), 24):
                place = data.find(rest[start : start + 24])
                if place >= 0:
                    offsets.add(place)
            places[int(key)] = {offset // PAGE for offset in offsets}
    return places


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(min_value=100), st.integers(1, 255)), min_size=1, max_size=4))
def test_flipped_bytes_lose_no_trial_that_lies_in_other_pages(whole, tmp_path, flips):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    log = tmp_path / "log.sqlite"
    data = bytearray(log.read_bytes())
    touched = set()
    for place, bits in flips:
        offset = 100 + (place - 100) % (len(data) - 100)
        data[offset] ^= bits
        touched.add(offset // PAGE)
    log.write_bytes(data)
    expected = {number for number, pages in pages_of(whole).items() if not pages & touched}
    found, damage = read(tmp_path)
    assert expected <= set(found)
    assert len(found) == len(set(found))
    assert damage or set(found) == set(range(TRIALS))


@pytest.mark.parametrize("page", range(8))
def test_a_page_of_garbage_loses_what_lies_in_it(whole, tmp_path, page):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    log = tmp_path / "log.sqlite"
    data = bytearray(log.read_bytes())
    data[page * PAGE : (page + 1) * PAGE] = os.urandom(PAGE)
    if page == 0:
        data[60:64] = bytes(4)  # else it may look like a log of a later version
    log.write_bytes(data)
    found, _ = read(tmp_path)
    assert {number for number, pages in pages_of(whole).items() if page not in pages} <= set(found)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_of_a_file_that_was_cut_the_rest_is_read(whole, tmp_path, share):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    log = tmp_path / "log.sqlite"
    left = int(log.stat().st_size * share) // PAGE
    os.truncate(log, left * PAGE + 17)
    found, damage = read(tmp_path)
    assert {number for number, pages in pages_of(whole).items() if max(pages) < left} <= set(found)
    assert damage


def test_a_row_that_is_no_text_is_named_and_not_quoted(whole, tmp_path):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    log = tmp_path / "log.sqlite"
    data = bytearray(log.read_bytes())
    data[data.index(b'"artifacts"', len(data) // 2)] |= 0x80
    log.write_bytes(data)
    found, damage = read(tmp_path)
    assert len(found) == TRIALS - 1
    (said,) = map(str, damage)
    assert "was changed after it was written" in said
    assert "artifacts" not in said


@pytest.mark.parametrize("damage", ["hash = zeroblob(32)", "seq = 1 << 50"])
def test_a_changed_hash_or_number_costs_its_own_row_only(whole, tmp_path, damage):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as db, db:
        db.execute(f"UPDATE rows SET {damage} WHERE seq = 70")
    found, told = read(tmp_path)
    assert sorted(set(range(TRIALS)) - set(found)) == [69]
    assert ["row 70" in str(each) for each in told] == [True]


@pytest.mark.parametrize("byte", [0, 2, 4])
def test_a_damaged_note_of_the_last_row_is_not_believed(whole, tmp_path, byte):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    head = bytearray((tmp_path / "log.head").read_bytes())
    head[byte] ^= 0x41
    (tmp_path / "log.head").write_bytes(head)
    found, damage = read(tmp_path)
    assert found == list(range(TRIALS))
    assert ["or log.head is damaged" in str(each) for each in damage] == [True]


@pytest.mark.parametrize("size", [0, 1])
def test_a_log_that_was_emptied_is_no_run_without_trials(whole, tmp_path, size):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    os.truncate(tmp_path / "log.sqlite", size)
    found, damage = read(tmp_path)
    assert found == []
    assert [f"rows 0 to {TRIALS} are missing" in str(each) for each in damage] == [True]


def test_an_export_names_damaged_rows_and_exits_with_4(runs):
    path = runs.run("run", trials=60)
    with closing(sqlite3.connect(path / "log.sqlite")) as db, db:
        db.execute("UPDATE rows SET body = 'no json' WHERE seq = 20")
        db.execute("DELETE FROM rows WHERE seq BETWEEN 30 AND 33")
    done = runs.evo("export", path)
    assert done.returncode == 4
    numbers = [json.loads(line)["number"] for line in done.stdout.splitlines()]
    assert len(numbers) == 55
    first, second = done.stderr.splitlines()
    assert "row 20 was changed" in first
    assert "rows 30 to 33 are missing" in second


@pytest.mark.parametrize("arguments", [(), ("-o", "/dev/stdout")])
def test_a_reader_that_has_seen_enough_ends_an_export_quietly(runs, arguments):
    path = runs.run("run", trials=400, with_={"padding": 2000})
    process = runs.start("-m", "evograft", "export", path, *arguments)
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    process.wait(60)
    assert said == ""


def test_a_row_whose_rest_is_on_no_page_does_not_keep_its_reader():
    with pytest.raises(ValueError, match="the rest of the row is missing"):
        Pages(bytes(3 * 512), 512)._payload(8, 900)
