"""`evo playbook search`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from evograft.cli import cli
from evograft.errors import UserError
from evograft_playbook.store import PlaybookStore


@pytest.fixture
def search(tmp_path, monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "playbook.sqlite"
    with PlaybookStore(path) as store, store.changing("test") as draft:
        for content in ("A kitten drinks milk.", "exit code 137 is SIGKILL", "Pin the \x1b[31mbase image\x07."):
            draft.add("shr", content)
    return lambda *args: CliRunner().invoke(cli, ["playbook", "search", *args, "--playbook", str(path)])


WORDS = "--set=plugins.playbook.with.search.dense_weight=0"
"""Without the encoder, which takes a second to load."""


def test_a_table_shows_places_and_which_half_has_found_a_bullet(search):
    done = search("SIGKILL", "--top-k", "1")
    assert done.exit_code == 0
    head, row = done.stdout.splitlines()
    assert head.split() == ["id", "score", "by", "words", "by", "meaning", "content"]
    assert row.split()[:5] == ["1", "shr-00002", "1.000", "1", "1"]


def test_in_japanese_the_table_has_japanese_titles(search, monkeypatch):
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    assert search("SIGKILL", WORDS).stdout.split()[:4] == ["id", "得点", "語の順位", "意味の順位"]


def test_json_holds_bullets_scores_and_both_places(search):
    (first, *rest) = json.loads(search("SIGKILL", "--json").stdout)
    assert (first["rank"], first["lexical_rank"], first["bullet"]["id"]) == (1, 1, "shr-00002")
    assert [each["lexical_rank"] for each in rest] == [None, None]


@pytest.mark.parametrize("question", ["", " \n", "!!! ???", "。、", "🚀", "\0"])
def test_a_question_without_a_word_finds_nothing_and_says_so(search, question):
    assert search(question).stdout == "nothing fits\n"
    assert json.loads(search(question, "--json").stdout) == []


def test_nothing_of_a_bullet_steers_a_terminal(search):
    shown = search("base image", WORDS).stdout
    assert "base image" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_a_question_that_is_no_text_is_refused(search):
    failure = search("caf\udce9").exception
    assert isinstance(failure, UserError)
    assert str(failure).startswith("QUERY: text with a lone surrogate")


def test_the_weights_are_those_that_are_set(search):
    words = json.loads(search("SIGKILL", "--json", WORDS).stdout)
    assert [(each["bullet"]["id"], each["dense_rank"]) for each in words] == [("shr-00002", None)]


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("search.dense_wait=0", "did you mean 'dense_weight'"),
        ("search.k=0", "search.k: "),
        ("left_out=0.5", "left_out: is for runs; of the plugin's options this command reads search"),
    ],
)
def test_a_setting_that_is_wrong_or_that_nobody_reads_is_refused(search, setting, told):
    failure = search("SIGKILL", f"--set=plugins.playbook.with.{setting}").exception
    assert isinstance(failure, UserError)
    assert told in str(failure)
