"""Files that are not what was written, and the last good state."""

import os
import shutil
import sqlite3

import pytest

from evograft.errors import ServiceError, UserError
from evograft_playbook.store import PlaybookStore, database
from evograft_playbook.store.backup import restore
from evograft_playbook.store.database import PlaybookDamaged, backup_path


@pytest.fixture
def written(path):
    """A playbook of 200 bullets with its copy."""
    with PlaybookStore(path) as store, store.changing("test") as draft:
        for number in range(200):
            draft.add("shr", f"lesson {number} " * 20)
    return path


def overwrite(path, *, at, with_):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(with_)


def truncate(path, *, size):
    os.truncate(path, size)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: overwrite(path, at=0, with_=b"\0" * 100),
        lambda path: overwrite(path, at=5000, with_=os.urandom(3000)),
        lambda path: truncate(path, size=0),
        lambda path: truncate(path, size=10_000),
        lambda path: path.unlink(),
    ],
    ids=["no header", "noise", "empty", "cut", "missing"],
)
def test_a_damaged_file_is_an_error_that_says_how_its_last_good_state_is_put_back(written, damage):
    damage(written)
    was_there = written.exists()
    with pytest.raises(PlaybookDamaged) as caught:
        PlaybookStore(written)
    assert "\n" not in str(caught.value)
    assert f"evo playbook restore --playbook {written}" in str(caught.value)
    aside = restore(written)
    with PlaybookStore(written, must_exist=True) as store:
        assert len(store.load().bullets) == 200
        with store.changing("test") as draft:
            assert draft.add("shr", "goes on").id == "shr-00201"
    assert (aside is not None) == was_there
    assert aside is None or aside.name == "playbook.sqlite.damaged-1"


def test_a_damaged_file_leaves_its_good_copy_alone(written):
    copied = backup_path(written).read_bytes()
    overwrite(written, at=5000, with_=os.urandom(3000))
    with pytest.raises(PlaybookDamaged):
        PlaybookStore(written)
    assert backup_path(written).read_bytes() == copied


def test_without_a_copy_a_damaged_file_says_so(written):
    backup_path(written).unlink()
    truncate(written, size=10_000)
    with pytest.raises(PlaybookDamaged, match="there is no copy"):
        PlaybookStore(written)
    with pytest.raises(UserError, match="nothing to put back"):
        restore(written)


def test_a_playbook_that_lost_its_newest_changes_is_not_taken_for_whole(written, tmp_path):
    older = shutil.copy(written, tmp_path / "older")
    with PlaybookStore(written) as store, store.changing("test") as draft:
        draft.add("shr", "newer")
    shutil.copy(older, written)
    with pytest.raises(PlaybookDamaged, match="it ends at change 200, but change 201 was written"):
        PlaybookStore(written)


def test_the_copy_of_a_killed_process_is_made_by_the_next_one(written):
    older = backup_path(written).read_bytes()
    with PlaybookStore(written) as store, store.changing("test") as draft:
        draft.add("shr", "newer")
    backup_path(written).write_bytes(older)
    with PlaybookStore(written):
        pass
    written.unlink()
    restore(written)
    with PlaybookStore(written) as store:
        assert store.get("shr-00201").content == "newer"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE bullets SET helpful = -1 WHERE id = 'shr-00003'",
        "UPDATE bullets SET content = x'ff00' WHERE id = 'shr-00003'",
        "UPDATE bullets SET updated = 'yesterday' WHERE id = 'shr-00003'",
        "UPDATE bullets SET id = 'nonsense' WHERE id = 'shr-00003'",
        "UPDATE bullets SET helpful = 'many' WHERE id = 'shr-00003'",
    ],
)
def test_a_row_that_is_no_bullet_is_damage_and_named(written, statement):
    change_behind_its_back(written, statement)
    with PlaybookStore(written) as store, pytest.raises(PlaybookDamaged, match=r"row '(shr-00003|nonsense)'"):
        store.load()


@pytest.mark.parametrize("value", ["'{'", "'[]'", "'{}'", "x'ff'", "7"])
def test_a_change_that_is_none_is_damage(written, value):
    change_behind_its_back(written, f"UPDATE changes SET after = {value} WHERE seq = 3")
    with PlaybookStore(written) as store, pytest.raises(PlaybookDamaged, match="row 3"):
        store.history("shr-00003")


def change_behind_its_back(path, *statements):
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def test_a_text_that_was_changed_within_its_row_never_gets_into_the_copy(written):
    copied = backup_path(written).read_bytes()
    change_behind_its_back(written, "UPDATE bullets SET content = 'lessom' WHERE id = 'shr-00003'")
    store = PlaybookStore(written)
    with store.changing("test") as draft:
        draft.add("shr", "newer")
    with pytest.raises(PlaybookDamaged, match="shr-00003 is not what its history says"):
        store.close()
    assert backup_path(written).read_bytes() == copied
    assert [each.name for each in written.parent.iterdir() if each.name.startswith(".")] == []


def test_a_playbook_that_another_process_holds_for_too_long_is_busy(written, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.01)
    with PlaybookStore(written) as holder, PlaybookStore(written) as other, holder.changing("test"):
        with pytest.raises(ServiceError, match="is busy"), other.changing("test"):
            pass
        assert len(other.load().bullets) == 200


def test_who_comes_second_to_make_a_playbook_leaves_it_as_it_is(written):
    database.create(written)
    with PlaybookStore(written) as store:
        assert len(store.load().bullets) == 200


def test_another_sqlite_file_is_no_playbook(path):
    change_behind_its_back(path, "CREATE TABLE rows (seq)")
    with pytest.raises(UserError, match="is no playbook"):
        PlaybookStore(path)


def test_a_playbook_without_its_tables_is_damaged(written):
    change_behind_its_back(written, "DROP TABLE changes")
    with pytest.raises(PlaybookDamaged, match="its tables"):
        PlaybookStore(written)


def test_a_playbook_with_a_trigger_is_not_used(written):
    change_behind_its_back(
        written, "CREATE TRIGGER steals AFTER INSERT ON bullets BEGIN DELETE FROM changes WHERE seq = 1; END"
    )
    with pytest.raises(UserError, match="triggers or views"):
        PlaybookStore(written)


def test_a_playbook_of_a_newer_version_is_not_used(written):
    change_behind_its_back(written, "PRAGMA user_version=2")
    with pytest.raises(UserError, match="upgrade evograft-playbook"):
        PlaybookStore(written)


def test_a_folder_in_which_nothing_can_be_made_is_a_mistake_of_the_user(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot make the playbook"):
        PlaybookStore(tmp_path / "file" / "playbook.sqlite")


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path):
    with pytest.raises((UserError, ServiceError)):
        PlaybookStore(tmp_path)


def test_a_copy_that_another_program_made_is_made_anew(written):
    backup_path(written).unlink()
    change_behind_its_back(backup_path(written), "CREATE TABLE changes (seq)", "INSERT INTO changes VALUES ('x')")
    with PlaybookStore(written) as store:
        assert len(store.load().bullets) == 200
    with PlaybookStore(backup_path(written)) as copy:
        assert len(copy.load().bullets) == 200
