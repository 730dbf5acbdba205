"""What docs/playbook.md says of commands, trajectories and files is so."""

import json
import re
import shlex
from pathlib import Path

import pytest
from fault_server import FaultServer, answer

from evograft_playbook.commands import COMMANDS
from evograft_playbook.exchange.markdown import from_markdown, to_markdown
from evograft_playbook.store import PlaybookStore
from evograft_playbook.types import Trajectory

PAGE = (Path(__file__).parents[1] / "docs" / "playbook.md").read_text(encoding="utf-8")


@pytest.fixture
def server():
    with FaultServer() as server:
        yield server


def block(language):
    return re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]


def test_every_command_is_listed_and_no_other():
    rows = PAGE.partition("\n## Commands\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", rows, re.MULTILINE) == list(COMMANDS)


def test_the_trajectory_that_is_shown_is_one():
    shown = json.loads(block("json"))
    assert Trajectory.model_validate(shown).model_dump(mode="json") == shown


def test_the_markdown_that_is_shown_is_what_is_exported():
    assert to_markdown(from_markdown(block("markdown"))) == block("markdown")


def test_the_console_shows_what_happens(runs):
    lines = block("console").split("$ evo ")[1:]
    for each in lines[:3]:
        command, _, output = each.partition("\n")
        done = runs.evo_apart(*shlex.split(command))
        assert done.stdout == output, done.stderr


def test_the_example_in_python_works_with_a_real_server(server, tmp_path, monkeypatch):
    server.script(answer("Wait."))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-no-matter")
    names = {}
    exec(block("python").replace("http://localhost:8000/v1", server.base_url), names)
    assert names["trajectory"].generated_answer == "Wait.", names["trajectory"].error_message
    (asked,) = server.asked()
    assert "Read the limits first." in asked.prompt
    with PlaybookStore(tmp_path / "playbook.sqlite") as store:
        assert store.get("shr-00001").helpful == 1
