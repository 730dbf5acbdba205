"""The page about operators says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from evograft_operators.formulas import edits
from evograft_operators.models import operations
from evograft_operators.models.answer_text import LONGEST_ANSWER, LONGEST_LINE
from evograft_operators.models.templates import SLOTS
from evograft_operators.options import OperatorsOptions
from evograft_operators.plugin import OperatorsPlugin

OFFERED = {**operations.OFFERED, operations.AGENT: operations.OPERATIONS[operations.AGENT]}
ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
README = (ROOT / "plugins" / "operators" / "README.md").read_text(encoding="utf-8")


def rows(text, heading=None):
    """The cells of the first table below a heading."""
    text = text.partition(f"\n## {heading}\n")[2] if heading else text
    table = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table[0].splitlines()[2:]]


@pytest.mark.parametrize("text", [PAGE, README], ids=["page", "readme"])
def test_every_operator_is_listed_with_its_description_and_its_parents(text):
    listed = {row[0].strip("`"): (row[1], row[2]) for row in rows(text)}
    parents = {name: str(each.parents) for name, each in (edits.OPERATIONS | OFFERED).items()}
    manifest = OperatorsPlugin.manifest.operators
    assert listed == {f"operators.{each.name}": (each.description, parents.get(each.name, "")) for each in manifest}


def test_every_option_is_listed_with_its_default():
    listed = {row[0].strip("`"): row[1].strip("`") for row in rows(PAGE, "Options")}
    fields = OperatorsOptions.model_fields
    assert list(listed) == list(fields)
    for name, default in listed.items():
        actual = fields[name].default
        assert (default == "empty") == (actual in ("", (), {})), name
        if default != "empty":
            assert getattr(OperatorsOptions.model_validate({name: yaml.safe_load(default)}), name) == actual


def test_every_template_is_listed_with_its_placeholders():
    listed = {row[0].strip("`").removesuffix(".md"): (row[2], row[3]) for row in rows(PAGE, "Prompts of your own")}
    assert list(listed) == list(SLOTS)
    for name, (required, optional) in listed.items():
        may_have = listed["repair"][1] if optional == "as below" else optional
        assert set(filter(None, required.split(", "))) == SLOTS[name].required
        assert set(filter(None, may_have.split(", "))) == SLOTS[name].optional


def test_the_limits_are_those_of_the_code():
    assert f"more than {LONGEST_ANSWER:,} characters, or a line of more than {LONGEST_LINE:,}" in PAGE
