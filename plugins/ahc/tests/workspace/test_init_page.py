"""What the page on workspaces says is so."""

import re
from pathlib import Path

import pytest

from evograft_ahc.commands.init import init
from evograft_ahc.contests.task import Scorer, ToolCommand

PAGE = (Path(__file__).parents[4] / "docs" / "ahc-init.md").read_text(encoding="utf-8")


def rows(heading):
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]


def test_every_option_is_listed_with_its_default():
    listed = {row[0].strip("| `"): row[1].strip("` ") for row in rows("What it fetches")}
    options = {option for each in init.params for option in each.opts if option.startswith("--")}
    assert set(listed) == options
    assert listed["--site"] == next(each.default for each in init.params if each.name == "site")


@pytest.mark.usefixtures("confined")
def test_everything_in_a_workspace_is_listed_and_the_example_is_what_is_printed(practised):
    listed = {name.partition("/")[0] for row in rows("What is in it") for name in re.findall(r"`([^`]+)`", row[0])}
    made = {path.name for path in practised.workspace.folder.iterdir()}
    assert made - {"start.cpp", ".init.lock"} == listed
    (example, _) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    assert tuple(example.splitlines()[1:3]) == practised.told


def test_every_key_of_a_command_is_explained():
    explained = {key for row in rows("How tools are built and called") for key in re.findall(r"`(\w+)`", row[0])}
    assert explained == (set(Scorer.model_fields) | set(ToolCommand.model_fields)) - {"program"}
