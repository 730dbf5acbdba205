"""Playbooks as text: what was written is read back, and what is anything else is refused as a whole."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_playbook.exchange import import_file
from evograft_playbook.exchange.import_file import bring_in, read_playbook_file
from evograft_playbook.exchange.json_format import from_json, to_json
from evograft_playbook.exchange.markdown import from_markdown, to_markdown
from evograft_playbook.types import Bullet, Playbook

FORMATS = pytest.mark.parametrize(("write", "read"), [(to_json, from_json), (to_markdown, from_markdown)])
AT = datetime(2025, 1, 15, 10, 30, tzinfo=UTC)

TEXT = st.text(st.characters(codec="utf-8"))
AWKWARD = st.sampled_from(
    ["\r\n", "\n\n", "  ", "# heading", "- [shr-00001]", ":: ", "\\u001b", "\x1b[2J", "\u2028", "```"]
)
CONTENT = st.lists(st.one_of(TEXT, AWKWARD)).map("".join).filter(str.strip)
BULLETS = st.builds(
    lambda section, number, **given: Bullet(id=f"{section}-{number:05}", section=section, **given),
    section=st.sampled_from(["shr", "aup", "strategies"]),
    number=st.integers(0, 99_999),
    content=CONTENT,
    helpful=st.integers(0, 10**9),
    harmful=st.integers(0, 10**9),
    created=st.datetimes(timezones=st.sampled_from([UTC, None])),
    updated=st.datetimes(timezones=st.just(UTC)),
    source=TEXT,
    retired=st.booleans(),
)
PLAYBOOKS = st.lists(BULLETS, max_size=5, unique_by=lambda each: each.id).map(
    lambda bullets: Playbook(bullets=tuple(sorted(bullets, key=lambda each: each.id)))
)


@FORMATS
@settings(max_examples=100)
@given(playbook=PLAYBOOKS)
def test_what_was_exported_is_imported_as_it_was(write, read, playbook):
    assert read(write(playbook)) == playbook


@given(playbook=PLAYBOOKS)
def test_markdown_steers_no_terminal_and_survives_the_line_ends_of_windows(playbook):
    text = to_markdown(playbook)
    assert not any(ord(each) < 32 and each not in "\n\t" for each in text)
    assert from_markdown("\ufeff" + text.replace("\n", "\r\n")) == playbook


def bullet(bullet_id="shr-00001", content="a", **given):
    return Bullet(id=bullet_id, section=bullet_id[:3], content=content, created=AT, updated=AT, **given)


def test_markdown_is_what_people_read_and_edit():
    text = to_markdown(Playbook(bullets=(bullet(content="Read twice.\n\nThen again.", source="user", retired=True),)))
    assert text == (
        "# Playbook\n\n## shr\n\n"
        "- [shr-00001] helpful=0 harmful=0 created=2025-01-15T10:30:00Z updated=2025-01-15T10:30:00Z "
        'source="user" retired ::\n'
        "  Read twice.\n  \n  Then again.\n"
    )
    edited = text.replace("  \n", "\n").replace("twice", "three times")
    assert from_markdown(edited).bullets[0].content == "Read three times.\n\nThen again."


HEAD = '- [shr-00001] helpful=0 harmful=0 created=2025-01-15T10:30:00Z updated=2025-01-15T10:30:00Z source="" ::'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Nothing of ours", "line 1: neither a heading nor a bullet"),
        ("# Playbook\n\n- [shr-00001] a lesson", "line 3: a bullet begins as it was exported"),
        (HEAD, "line 1: content"),
        (f"{HEAD}\n  a\n{HEAD}\n  b", "line 3: a second bullet 'shr-00001'"),
        (HEAD.replace("00001", "1") + "\n  a", "line 1: id"),
        (HEAD.replace("helpful=0", "helpful=-1") + "\n  a", "line 1: a bullet begins"),
        (HEAD.replace("helpful=0", "helpful=１") + "\n  a", "line 1: a bullet begins"),
        (HEAD.replace("2025-01", "2025-13") + "\n  a", "line 1: created"),
        (HEAD.replace(' source=""', r' source="\q"') + "\n  a", "line 1: the source is no JSON text"),
        (HEAD.replace(" ::", " escaped ::") + "\n  \\ud800", "line 1: content"),
        ("\x1b[2J", "line 1: neither"),
    ],
)
def test_markdown_that_is_no_playbook_is_refused_with_its_line(text, message):
    with pytest.raises(UserError, match=message) as caught:
        from_markdown(text)
    assert str(caught.value).isprintable()


GOOD = '{"format": "evograft-playbook", "version": 1, "bullets": []}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Invalid JSON"),
        ("[]", "should be a mapping"),
        ("[" * 100_000, "Invalid JSON"),
        (GOOD.replace("evograft-playbook", "other"), "format: should be 'evograft-playbook'"),
        (GOOD.replace("1", "2"), "version: should be 1"),
        (GOOD.replace("bullets", "bulets"), "unknown key 'bulets'; did you mean 'bullets'"),
        (GOOD.replace("[]", '[{"id": "shr-00001", "section": "shr", "content": 5}]'), "bullets.0.content"),
        (GOOD.replace("[]", '[{"id": "../x", "section": "shr", "content": "a"}]'), "bullets.0.id"),
        (GOOD.replace("[]", '[{"id": "shr-00001", "section": "aup", "content": "\\u001b"}]'), "not of the section"),
        (
            GOOD.replace("[]", "[" + ", ".join(2 * ['{"id": "shr-00001", "section": "shr", "content": "a"}']) + "]"),
            "two bullets",
        ),
    ],
)
def test_json_that_is_no_playbook_is_refused_with_its_place(text, message):
    assert from_json(GOOD) == Playbook()
    with pytest.raises(UserError, match=message) as caught:
        from_json(text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("name", ["playbook.json", "playbook.md", "PLAYBOOK.MD"])
def test_a_file_is_read_by_its_ending(tmp_path, name):
    playbook = Playbook(bullets=(bullet(),))
    file = tmp_path / name
    file.write_text((to_markdown if "md" in name.lower() else to_json)(playbook), encoding="utf-8")
    assert read_playbook_file(file) == playbook


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff", "byte 0 is not UTF-8"), (b"{}", "nothing was imported from"), (None, "cannot read")],
)
def test_a_file_that_cannot_be_imported_is_named(tmp_path, content, message):
    file = tmp_path / "strange.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        read_playbook_file(file)
    assert str(file) in str(caught.value)


def bring(store, *bullets, known="refuse"):
    with store.changing("import") as draft:
        return bring_in(draft, Playbook(bullets=bullets), known=known)


def test_an_import_keeps_all_that_a_bullet_brings(store):
    given = bullet(helpful=3, harmful=1, source="elsewhere", retired=True)
    assert bring(store, given).added == ["shr-00001"]
    assert store.load().bullets == (given,)
    assert bring(store, given).unchanged == ["shr-00001"]
    assert len(store.history()) == 1


def test_an_id_that_is_another_bullet_refuses_the_whole_import(store):
    bring(store, bullet())
    with pytest.raises(UserError, match="'shr-00001' is another bullet here"):
        bring(store, bullet("aup-00001"), bullet(content="b"))
    assert [each.id for each in store.load().bullets] == ["shr-00001"]


def test_an_id_that_was_used_is_known_also_where_its_bullet_is_gone(store):
    bring(store, bullet())
    with store.changing("user") as draft:
        draft.undo(1)
    with pytest.raises(UserError, match="is another bullet here"):
        bring(store, bullet(content="b"))


def test_an_import_can_replace_what_is_there(store):
    bring(store, bullet(helpful=9))
    assert bring(store, bullet(content="b"), known="update").updated == ["shr-00001"]
    assert store.get("shr-00001") == bullet(content="b")


def test_an_import_can_give_new_numbers_that_nothing_else_has(store):
    bring(store, bullet())
    imported = bring(store, bullet(content="b"), bullet("shr-00002", "c"), known="renumber")
    assert imported.added == ["shr-00002"]
    assert imported.renumbered == {"shr-00001": "shr-00003"}
    assert {each.id: each.content for each in store.load().bullets} == {
        "shr-00001": "a",
        "shr-00002": "c",
        "shr-00003": "b",
    }


def test_an_import_is_undone_as_a_whole(store):
    bring(store, bullet(), bullet("aup-00001"))
    with store.changing("user") as draft:
        assert len(draft.undo(1)) == 2
    assert store.load() == Playbook()


def test_a_file_beyond_all_sizes_is_not_read(tmp_path, monkeypatch):
    file = tmp_path / "large.json"
    file.write_text(to_json(Playbook()))
    monkeypatch.setattr(import_file, "LARGEST_FILE", 10)
    with pytest.raises(UserError, match="larger than 10 bytes"):
        read_playbook_file(file)
