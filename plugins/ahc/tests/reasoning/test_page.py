"""What the page on thinking says is so."""

import re
from pathlib import Path

from evograft_ahc.reasoning.prompts.proposals import OTHER
from evograft_ahc.reasoning.prompts.templates import PLACEHOLDERS
from evograft_ahc.reasoning.statement.analysis import StatementAnalysis
from evograft_ahc.reasoning.strategies.knowledge_sources import MOST_CODE

PAGE = (Path(__file__).parents[4] / "docs" / "ahc-thinking.md").read_text(encoding="utf-8")


def rows(heading):
    """The cells of the table below a heading."""
    part = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines() if line.startswith("| `")]


def test_every_template_is_listed_with_its_placeholders():
    listed = {
        name.strip("`").removesuffix(".md"): set(re.findall(r"\w+", may))
        for name, _, may in rows("Prompts of your own")
    }
    assert listed == {name: set(placeholders) for name, placeholders in PLACEHOLDERS.items()}


def test_every_field_of_an_analysis_is_listed():
    listed = [name for fields, _ in rows("The analysis") for name in re.findall(r"`(\w+)`", fields)]
    assert sorted(listed) == sorted(StatementAnalysis.model_fields)


def test_every_proposal_is_listed():
    listed = {
        re.sub(r"_[N…].*", "", name.strip("`").removeprefix("ahc.")) for name, *_ in rows("What a model is told to do")
    }
    assert listed == {*OTHER, "agent"}


def test_the_size_of_code_is_the_one_that_is_told():
    assert f"{MOST_CODE:,} characters" in PAGE
