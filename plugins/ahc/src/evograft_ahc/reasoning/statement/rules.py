"""An analysis without a model: what can be read out of a statement by its form and its words."""

from __future__ import annotations

import re

from evograft_ahc.contests.task import ContestTask
from evograft_ahc.reasoning.statement.analysis import Paragraph, ScoringRules, StatementAnalysis
from evograft_ahc.reasoning.statement.constraints import find_constraints
from evograft_ahc.reasoning.statement.sections import Part, find_parts
from evograft_ahc.reasoning.statement.tags import find_keywords, find_tags
from evograft_ahc.reasoning.statement.variables import find_variables
from evograft_hookspecs import FrozenDict

LONGEST = 4000
"""Of a paragraph, in characters."""
SUMMARY = 1200

_FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)


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


def _summary(parts: dict[Part, str]) -> Paragraph:
    """Return the first paragraphs of the story, whole ones as long as they are short enough."""
    paragraphs = (parts.get("story") or "\n\n".join(parts.values())).split("\n\n")
    chosen = paragraphs[0].strip()[:SUMMARY]
    for paragraph in paragraphs[1:]:
        if len(chosen) + len(paragraph) > SUMMARY:
            break
        chosen = f"{chosen}\n\n{paragraph.strip()}".strip()
    return chosen
