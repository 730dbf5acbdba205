"""`evo playbook`: what people and programs see."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from evograft.cli import cli
from evograft.errors import UserError
from evograft.text.i18n import load_catalog
from evograft_playbook.commands import COMMANDS
from evograft_playbook.store import get_usual_path


@pytest.fixture
def evo(monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments, stdin=None, fails=False):
        done = CliRunner().invoke(cli, ["playbook", *arguments], input=stdin)
        assert fails or done.exit_code == 0, done.output
        return done.exception if fails else done.stdout

    return run


@pytest.fixture
def filled(evo):
    evo("add", "shr", "Read the limits first.")
    evo("add", "aup", "-", stdin="Go through all pages.\nAlways.\n")
    return evo


def test_what_is_added_is_listed_in_the_usual_playbook(filled):
    assert get_usual_path().exists()
    assert [line.split() for line in filled("list").splitlines()] == [
        ["id", "helpful", "harmful", "content"],
        ["aup-00001", "0", "0", "Go", "through", "all", "pages.", "Always."],
        ["shr-00001", "0", "0", "Read", "the", "limits", "first."],
    ]


def test_a_named_playbook_is_another_one(filled, path):
    filled("add", "shr", "elsewhere", "--playbook", str(path))
    assert "elsewhere" in filled("list", "--playbook", str(path))
    assert "elsewhere" not in filled("list")


def test_a_list_may_be_of_one_section_and_with_what_is_retired(filled):
    filled("retire", "shr-00001")
    assert "shr-00001" not in filled("list")
    assert "(retired) Read" in filled("list", "--all")
    assert "aup" not in filled("list", "--all", "--section", "shr")
    assert "no bullets" in filled("list", "--section", "shr")


def test_a_bullet_is_shown_whole(filled):
    filled("edit", "aup-00001", "Go on.\n\nTo the end.")
    shown = filled("show", "aup-00001")
    assert shown.startswith("aup-00001\nhelpful 0, harmful 0\ncreated ")
    assert shown.endswith("\n\nGo on.\n\nTo the end.\n")
    assert " by user\n" in shown


def test_undo_says_what_it_took_back_and_history_what_happened(filled):
    filled("edit", "shr-00001", "other words")
    filled("retire", "aup-00001")
    assert filled("undo", "2").splitlines() == ["undone: retire aup-00001", "undone: edit shr-00001"]
    lines = [line.split()[3:] for line in filled("history").splitlines()[1:]]
    assert [line[1] for line in lines] == ["undo", "undo", "retire", "edit", "add", "add"]
    assert lines[2][2] == "(undone)"
    assert len(filled("history", "shr-00001").splitlines()) == 4
    assert len(filled("history", "--last", "1").splitlines()) == 2
    assert "Read the limits first." in filled("list")


def test_the_history_of_counts_says_by_how_much(filled):
    from evograft_playbook.store import PlaybookStore

    with PlaybookStore(get_usual_path()) as store, store.changing("feedback") as draft:
        draft.count("shr-00001", helpful=2)
        draft.count("shr-00001", harmful=1)
    newest, before = filled("history", "shr-00001").splitlines()[1:3]
    assert newest.endswith("harmful +1")
    assert before.endswith("helpful +2")


def test_figures_are_those_of_each_section(filled):
    filled("add", "shr", "more")
    filled("retire", "shr-00001")
    rows = [line.split() for line in filled("stats").splitlines()]
    assert rows[1:] == [
        ["aup", "1", "0", "0", "0", "1", "29"],
        ["shr", "1", "1", "0", "0", "1", "4"],
        ["total", "2", "1", "0", "0", "2", "33"],
    ]


@pytest.mark.parametrize("name", ["all.json", "all.md"])
def test_what_is_exported_can_be_imported_elsewhere(filled, path, tmp_path, name):
    file = str(tmp_path / name)
    filled("retire", "shr-00001")
    filled("export", file)
    assert filled("import", file, "--playbook", str(path)).splitlines() == ["2 bullets added"]
    assert filled("list", "--all", "--json", "--playbook", str(path)) == filled("list", "--all", "--json")
    assert filled("import", file).splitlines() == ["0 bullets added", "2 were there already"]


def test_an_export_goes_to_standard_output_where_no_file_is_named(filled):
    assert json.loads(filled("export"))["format"] == "evograft-playbook"
    assert filled("export", "--format", "markdown").startswith("# Playbook\n")


def test_a_pipe_in_the_place_of_a_file_is_written_to_and_stays_what_it_is(filled, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    filled("export", str(tmp_path / "pipe"))
    assert json.loads(os.read(reader, 100_000))["format"] == "evograft-playbook"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


def test_what_is_known_is_refused_replaced_or_renumbered(filled, path, tmp_path):
    file = tmp_path / "other.md"
    filled("add", "shr", "another lesson", "--playbook", str(path))
    filled("export", str(file), "--playbook", str(path))
    assert "'shr-00001' is another bullet here" in str(filled("import", str(file), fails=True))
    assert "shr-00001 is now shr-00002" in filled("import", str(file), "--known", "renumber")
    assert "1 replaced" in filled("import", str(file), "--known", "update")
    assert "another lesson" in filled("show", "shr-00001")


def test_a_damaged_playbook_is_put_back_when_that_is_asked_for(filled):
    get_usual_path().write_bytes(b"\0" * 5000)
    error = filled("list", fails=True)
    assert error.exit_code == 4
    assert "evo playbook restore" in str(error)
    restored = filled("restore")
    assert "is as it was after the change of" in restored
    assert "what was there is now" in restored
    assert "Read the limits first." in filled("list")


JSON = [
    (("list",), lambda value: [each["id"] for each in value] == ["aup-00001", "shr-00001"]),
    (("show", "shr-00001"), lambda value: value["content"] == "Read the limits first."),
    (("add", "shr", "a"), lambda value: value["id"] == "shr-00002"),
    (("edit", "shr-00001", "a"), lambda value: value["content"] == "a"),
    (("retire", "shr-00001"), lambda value: value["retired"] is True),
    (("undo",), lambda value: [each["bullet_id"] for each in value] == ["aup-00001"]),
    (("history",), lambda value: [each["kind"] for each in value] == ["add", "add"]),
    (("stats",), lambda value: value["total"]["bullets"] == 2 and set(value["sections"]) == {"shr", "aup"}),
]


@pytest.mark.parametrize(("arguments", "is_right"), JSON, ids=[arguments[0] for arguments, _ in JSON])
def test_programs_read_json(filled, arguments, is_right):
    assert is_right(json.loads(filled(*arguments, "--json")))


def test_an_import_tells_programs_what_became_of_each_bullet(filled, tmp_path):
    file = tmp_path / "all.json"
    filled("export", str(file))
    told = json.loads(filled("import", str(file), "--json"))
    assert told == {"added": [], "updated": [], "unchanged": ["aup-00001", "shr-00001"], "renumbered": {}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("list", "--playbook", "missing.sqlite"), "there is no playbook 'missing.sqlite'"),
        (("show", "shr-00009"), "there is no bullet 'shr-00009'"),
        (("show", "x\udcff"), "there is no bullet"),
        (("add", "S", "a"), "'S' is no section"),
        (("add", "shr", " "), "content: is blank"),
        (("undo", "9"), "nothing was undone: 2 changes can be"),
        (("import", "missing.json"), "cannot read 'missing.json'"),
        (("export", "missing/../"), "cannot write"),
    ],
)
def test_a_mistake_is_one_line(filled, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    error = filled(*arguments, fails=True)
    assert isinstance(error, UserError)
    assert message in str(error)
    assert "\n" not in str(error)


def test_standard_input_that_is_no_text_is_a_mistake(evo):
    assert "standard input is not UTF-8" in str(evo("add", "shr", "-", stdin=b"\xff", fails=True))


def test_what_a_bullet_says_cannot_steer_a_terminal(evo, tmp_path, path):
    evo("add", "shr", "\x1b[2J\x9b2J\u202e\x07 gone")
    evo("export", str(tmp_path / "\x1b.md"))
    evo("import", str(tmp_path / "\x1b.md"), "--playbook", str(path))
    commands = [("list",), ("show", "shr-00001"), ("history",), ("search", "gone"), ("retire", "shr-00001")]
    plain = [*commands[:3], ("history", "--playbook", str(path)), ("export",), ("export", "--format=markdown")]
    for arguments in (*plain, *((*command, "--json") for command in commands)):
        shown = evo(*arguments)
        assert "gone" in shown
        assert not any(each in shown for each in "\x1b\x9b\u202e\x07")


def test_a_table_for_a_terminal_is_drawn(filled):
    program = (
        "import os, pty, sys\n"
        "sys.exit(os.waitstatus_to_exitcode(pty.spawn([sys.executable, '-m', 'evograft', 'playbook', 'list'])))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, stdin=subprocess.DEVNULL, check=True)
    assert "┏━━━━━━━━━━━┳" in done.stdout.decode()


def test_in_a_japanese_locale_people_read_japanese(filled, monkeypatch):
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    assert "shr-00002 を追加しました" in filled("add", "shr", "制約を先に読む。")
    assert filled("list").splitlines()[0].split() == ["id", "役立った", "害になった", "内容"]


def test_both_languages_have_the_same_words():
    english, japanese = (load_catalog(language, "evograft_playbook") for language in ("en", "ja"))
    assert set(english) == set(japanese)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(evo, name):
    assert f"Usage: cli playbook {name}" in evo(name, "--help")


def test_help_imports_nothing_heavy():
    program = (
        "import sys\nfrom evograft_playbook.commands import playbook\n"
        "playbook(['--help'], standalone_mode=False)\n"
        "heavy = {'pydantic', 'rich', 'sqlite3', 'numpy', 'yaml', 'bm25s'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, env=dict(os.environ))
