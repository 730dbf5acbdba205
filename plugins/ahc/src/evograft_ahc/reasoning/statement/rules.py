"""An analysis without a model: what can be read out of a statement by its form and its words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from evograft_ahc.contests.task import ContestTask
from evograft_ahc.reasoning.statement.analysis import Paragraph, ScoringRules, StatementAnalysis
from evograft_ahc.reasoning.statement.constraints import find_constraints
from evograft_ahc.reasoning.statement.tags import find_keywords, find_tags
from evograft_ahc.reasoning.statement.variables import find_variables
from evograft_hookspecs import FrozenDict

LONGEST = 4000
"""Of a paragraph, in characters."""
SUMMARY = 1200

Part = Literal["story", "scoring", "constraints", "input", "output", "generation", "samples", "tools", "other"]
"""What a section of a statement is about."""

_FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+)$", re.MULTILINE)
_PARTS: Mapping[Part, re.Pattern[str]] = {
    "generation": re.compile(r"generation|生成", re.IGNORECASE),
    "samples": re.compile(r"sample|example|入力例|出力例", re.IGNORECASE),
    "tools": re.compile(r"\btools?\b|ツール", re.IGNORECASE),
    "scoring": re.compile(r"scor|得点|スコア|採点", re.IGNORECASE),
    "constraints": re.compile(r"constraint|制約", re.IGNORECASE),
    "input": re.compile(r"\binput|入力|入出力", re.IGNORECASE),
    "output": re.compile(r"\boutput|出力", re.IGNORECASE),
    "story": re.compile(r"problem|statement|問題|story|ストーリー", re.IGNORECASE),
}
"""What a heading has to mention, in English or Japanese; the first that fits counts."""


def analyze_by_rules(statement: str, task: ContestTask) -> StatementAnalysis:
    """Whatever the statement is, there is an analysis; of one in an unusual form there is little in it."""
    parts = find_parts(statement)
    ranges = "\n".join(parts.get(part, "") for part in ("constraints", "input", "story"))
    words = "\n".join(parts.get(part, "") for part in ("story", "scoring", "other"))
    given, scoring = parts.get("input", ""), parts.get("scoring", "")
    # Statements of interactive problems describe the whole exchange in one section.
    wanted = parts.get("output", given)
    formula = _FORMULA.search(scoring)
    return StatementAnalysis(
        problem_statement_summary=_summary(parts),
        constraints=FrozenDict(find_constraints(ranges)),
        input_format_description=given[:LONGEST],
        input_variables=find_variables(given),
        output_format_description=wanted[:LONGEST],
        output_variables=find_variables(parts.get("output", "")),
        scoring_rules=ScoringRules(
            description=scoring[:LONGEST], formula_example=formula[1].strip()[:LONGEST] if formula else ""
        ),
        problem_type_tags=find_tags(words, interactive=task.interactive),
        extracted_keywords=find_keywords(words),
    )


def find_parts(statement: str) -> dict[Part, str]:
    """Return the text of each part of a statement.

    The parts of several headings are joined, and what stands before any heading belongs to the story.
    """
    found: dict[Part, str] = {}
    pieces = _HEADING.split(statement)
    for heading, text in zip(["problem", *pieces[1::2]], pieces[::2], strict=True):
        part = _part_of(heading)
        found[part] = "\n\n".join(filter(None, (found.get(part, ""), text.strip())))
    return found


def _part_of(heading: str) -> Part:
    return next((part for part, words in _PARTS.items() if words.search(heading)), "other")


def _summary(parts: dict[Part, str]) -> Paragraph:
    """Return the first paragraphs of the story, whole ones as long as they are short enough."""
    paragraphs = (parts.get("story") or "\n\n".join(parts.values())).split("\n\n")
    chosen = paragraphs[0].strip()[:SUMMARY]
    for paragraph in paragraphs[1:]:
        if len(chosen) + len(paragraph) > SUMMARY:
            break
        chosen = f"{chosen}\n\n{paragraph.strip()}".strip()
    return chosen
