"""What docs/explain.md says of options, outcomes and settings is so."""

import re
from dataclasses import fields
from pathlib import Path

import yaml

from evograft_code_explainer.commands.explain import explain
from evograft_code_explainer.options import AskingOptions
from evograft_code_explainer.questions.result import EXIT_CODES, QuestionResult

PAGE = (Path(__file__).parents[1] / "docs" / "explain.md").read_text(encoding="utf-8")


def rows(heading):
    """The first cells of the tables below a heading."""
    text = re.split(r"^## ", PAGE.partition(f"\n## {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def names(row):
    return re.findall(r"`([^`]+)`", row[0])


def test_every_option_is_listed_and_no_other():
    listed = {name for row in rows("Options") for name in names(row)}
    options = {option for parameter in explain.params for option in parameter.opts if option.startswith("--")}
    assert listed == options | {"QUESTION", "PATH"}


def test_every_outcome_is_listed_with_its_exit_code():
    listed = {names(row)[0]: int(row[1]) for row in rows("Outcomes") if row[1].isdigit()}
    assert listed == EXIT_CODES


def test_every_key_of_the_json_is_listed():
    listed = {name for row in rows("Outcomes") if not row[1].isdigit() for name in names(row)}
    assert listed == {field.name for field in fields(QuestionResult)} | {"wrong_citations"}


def test_every_setting_is_listed_with_its_default():
    listed = {names(row)[0]: yaml.safe_load(row[1]) for row in rows("Settings")}
    assert listed == {name: field.default for name, field in AskingOptions.model_fields.items()}
