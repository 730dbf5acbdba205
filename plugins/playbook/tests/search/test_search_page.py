"""docs/playbook-search.md says what is so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from evograft.cli import cli
from evograft_playbook.search.options import SearchOptions
from evograft_playbook.store import PlaybookStore, get_usual_path

PAGE = (Path(__file__).parents[4] / "docs" / "playbook-search.md").read_text(encoding="utf-8")
BULLETS = (
    ("ctp", "exit code 137 is 128 + 9: the process got SIGKILL, for lack of memory."),
    ("env", "A container's first process ignores SIGTERM unless it handles it."),
    ("shr", "Write to a temporary file and rename it: no reader sees half a file."),
)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_shows_what_is_printed(monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    with PlaybookStore(get_usual_path()) as store, store.changing("test") as draft:
        for section, content in BULLETS:
            draft.add(section, content)
    for shown in blocks("console"):
        command, _, printed = shown.removeprefix("$ evo ").partition("\n")
        assert CliRunner().invoke(cli, shlex.split(command)).stdout == printed
    assert len(blocks("console")) == 2


def test_the_example_in_python_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,), (shown,) = blocks("python"), blocks("text")
    exec(code, {})
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("name", SearchOptions.model_fields)
def test_every_option_is_listed_with_its_default(name):
    default = getattr(SearchOptions(), name)
    text = "{driver: use}" if name == "embedding" else str(default)
    assert f"\n| `{name}` | `{text}` |" in PAGE
