"""One process: bullets, their history, and undo."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_playbook.store import PlaybookStore, get_usual_path
from evograft_playbook.types import Bullet


def add(store, *contents, section="shr"):
    with store.changing("test") as draft:
        return [draft.add(section, content).id for content in contents]


def contents(store):
    return {bullet.id: bullet.content for bullet in store.load().bullets}


def test_what_was_added_is_there_when_the_file_is_opened_again(path):
    with PlaybookStore(path) as store:
        add(store, "Read the statement twice.")
    with PlaybookStore(path, must_exist=True) as store:
        bullet = store.get("shr-00001")
    assert (bullet.section, bullet.content, bullet.source) == ("shr", "Read the statement twice.", "test")
    assert (bullet.helpful, bullet.harmful, bullet.retired) == (0, 0, False)


def test_numbers_run_on_within_a_section(store):
    assert add(store, "a", "b") == ["shr-00001", "shr-00002"]
    assert add(store, "c", section="aup") == ["aup-00001"]
    assert add(store, "d") == ["shr-00003"]


def test_numbers_are_not_used_again_after_retiring_and_undo(store):
    add(store, "a", "b")
    with store.changing("test") as draft:
        draft.retire("shr-00002")
    add(store, "c")
    with store.changing("test") as draft:
        draft.undo(1)
    assert add(store, "d") == ["shr-00004"]


def test_a_section_whose_numbers_are_used_up_is_full(store):
    with store.changing("test") as draft:
        draft.put(Bullet(id="shr-99999", section="shr", content="the last"))
    with pytest.raises(UserError, match="is full"):
        add(store, "one more")


def test_a_bullet_can_be_edited_counted_and_retired(store):
    add(store, "a")
    with store.changing("test") as draft:
        draft.edit("shr-00001", "b")
        draft.count("shr-00001", helpful=2, harmful=1)
        draft.retire("shr-00001")
    bullet = store.get("shr-00001")
    assert (bullet.content, bullet.helpful, bullet.harmful, bullet.retired) == ("b", 2, 1, True)
    assert bullet.updated > bullet.created
    assert store.load().active == ()
    assert store.load().find("shr-00001") == bullet


def test_a_retired_bullet_is_neither_edited_nor_retired_again_but_counted(store):
    add(store, "a")
    with store.changing("test") as draft:
        draft.retire("shr-00001")
        with pytest.raises(UserError, match="is retired"):
            draft.edit("shr-00001", "b")
        with pytest.raises(UserError, match="is retired"):
            draft.retire("shr-00001")
        assert draft.count("shr-00001", helpful=1).helpful == 1


@pytest.mark.parametrize("bullet_id", ["shr-00009", "shr-9", "", "no id", "x\udcff", "shr-00001' OR 1=1 --"])
def test_a_bullet_that_is_not_there_is_a_mistake_of_the_user(store, bullet_id):
    add(store, "a")
    with pytest.raises(UserError, match="there is no bullet"):
        store.get(bullet_id)
    with pytest.raises(UserError, match="there is no bullet"), store.changing("test") as draft:
        draft.count(bullet_id, helpful=1)
    assert store.history(bullet_id) == []


@pytest.mark.parametrize(
    ("section", "content"),
    [("SHR", "a"), ("ab", "a"), ("shr-1", "a"), ("x\udcff", "a"), ("shr", " \n"), ("shr", "\udcff")],
)
def test_what_is_no_bullet_is_refused_and_changes_nothing(store, section, content):
    with pytest.raises(UserError), store.changing("test") as draft:
        (draft.add("shr", "added before the mistake"), draft.add(section, content))
    assert store.load().bullets == ()
    assert store.history() == []


@pytest.mark.parametrize("counts", [{}, {"helpful": -1}, {"helpful": 2, "harmful": -1}])
def test_counts_only_go_up(store, counts):
    add(store, "a")
    with pytest.raises(ValueError, match="go up by 1"), store.changing("test") as draft:
        draft.count("shr-00001", **counts)


def test_the_history_says_who_when_what_before_and_after(store):
    add(store, "a")
    with store.changing("curator") as draft:
        draft.edit("shr-00001", "b")
    edited, added = store.history("shr-00001")
    assert (added.kind, added.source, added.before, added.after.content) == ("add", "test", None, "a")
    assert (edited.kind, edited.source, edited.before.content, edited.after.content) == ("edit", "curator", "a", "b")
    assert edited.at == edited.after.updated >= added.at
    assert store.history(most=1) == [edited]


def test_undo_takes_back_a_whole_transaction_and_says_what(store):
    add(store, "a", "b")
    before = store.load()
    with store.changing("curator") as draft:
        draft.edit("shr-00001", "x")
        draft.count("shr-00001", helpful=1)
        draft.add("shr", "c")
    with store.changing("user") as draft:
        undone = draft.undo(1)
    assert [change.kind for change in undone] == ["add", "count", "edit"]
    assert store.load() == before
    assert [change.kind for change in store.history(most=3)] == ["undo", "undo", "undo"]


def test_undo_goes_on_where_the_last_undo_ended(store):
    for content in "abc":
        add(store, content)
    for _ in range(2):
        with store.changing("user") as draft:
            draft.undo(1)
    assert contents(store) == {"shr-00001": "a"}


def test_more_cannot_be_undone_than_was_done(store):
    add(store, "a")
    with pytest.raises(UserError, match="nothing was undone: 1 changes can be, not 2"), store.changing("user") as draft:
        draft.undo(2)
    assert contents(store) == {"shr-00001": "a"}


def test_a_playbook_that_must_exist_is_not_made(path):
    with pytest.raises(UserError, match="there is no playbook"):
        PlaybookStore(path, must_exist=True)
    assert not path.exists()


def test_the_usual_playbook_is_in_a_folder_of_the_user(private_home):
    assert get_usual_path().is_relative_to(private_home)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(["shr", "aup"])),
        st.tuples(st.sampled_from(["edit", "retire", "count"]), st.integers(0, 5)),
    ),
    max_size=12,
)


@settings(max_examples=30, deadline=None)
@given(steps=STEPS, back=st.integers(1, 12))
def test_undoing_n_changes_gives_the_playbook_of_n_changes_ago(tmp_path_factory, steps, back):
    with PlaybookStore(tmp_path_factory.mktemp("law") / "playbook.sqlite") as store:
        states, seen = [store.load()], set()
        for what, which in steps:
            if _done(store, what, which):
                states.append(store.load())
            seen |= set(contents(store))
        back = min(back, len(states) - 1)
        with store.changing("user") as draft:
            draft.undo(back)
            assert draft.new_id("shr") not in seen
        assert store.load() == states[-1 - back]


def _done(store, what, which):
    """Return whether a change could be made."""
    with store.changing("law") as draft:
        if what == "add":
            return draft.add(which, "a lesson")
        active = store.load().active
        if which >= len(active):
            return None
        change = {"edit": lambda each: draft.edit(each, "other words"), "retire": draft.retire}
        return change.get(what, lambda each: draft.count(each, helpful=1))(active[which].id)
