"""An analysis in lines for people, in both languages."""

from __future__ import annotations

from collections.abc import Iterator

from evograft.text.i18n import Catalog
from evograft_ahc.reasoning.statement.analysis import Constraint, StatementAnalysis

MOST = 300
"""Characters of a description."""


def build_outline(analysis: StatementAnalysis, language: str) -> tuple[str, ...]:
    """Return the title and what was found, a line each; what is not known has none."""
    say = Catalog(language, __package__)
    constraints = ", ".join(_range(name, each) for name, each in analysis.constraints.items())
    rows = {
        "limits": f"{analysis.time_limit_ms / 1000:g} s, {analysis.memory_limit_mb} MB",
        "summary": analysis.problem_statement_summary,
        "constraints": constraints,
        "input": ", ".join(each.name for each in analysis.input_variables),
        "output": ", ".join(each.name for each in analysis.output_variables),
        "scoring": analysis.scoring_rules.description,
        "tags": ", ".join(analysis.problem_type_tags),
        "keywords": ", ".join(analysis.extracted_keywords),
    }
    return (analysis.title, *_lines(rows, say))


def _lines(rows: dict[str, str], say: Catalog) -> Iterator[str]:
    for name, text in rows.items():
        line = " ".join(text.split())
        if line:
            yield f"{say(name)}: {line if len(line) <= MOST else line[: MOST - 1] + '…'}"


def _range(name: str, constraint: Constraint) -> str:
    low, high = ("" if bound is None else str(bound) for bound in (constraint.min, constraint.max))
    return " ≤ ".join(filter(None, (low, name, high)))
