"""Chooses strategies for a problem: a model, from the library and past contests; without one, rules."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_ahc.reasoning.prompts.quotes import quoted
from evograft_ahc.reasoning.prompts.templates import Prompts
from evograft_ahc.reasoning.statement.analysis import Analysis
from evograft_ahc.reasoning.strategies.knowledge_sources import Consulted, contest_line
from evograft_ahc.reasoning.strategies.rules import strategies_by_rules
from evograft_ahc.reasoning.strategies.similar_contests import Similar, similar_contests
from evograft_ahc.reasoning.strategies.strategy import Strategy
from evograft_ahc.reasoning.structured_answer import Asker
from evograft_ahc.text.messages import Language
from evograft_hookspecs import Value

MOST_STATEMENT = 60_000
"""Characters of a statement that a model is shown."""
FOUND = {"problem_statement_summary", "problem_type_tags", "extracted_keywords"}
"""What an analysis says beyond the statement, which stands beside it."""


class Answered(Value):
    """What a model answers."""

    strategies: Annotated[tuple[Strategy, ...], Field(min_length=1, max_length=8)]


def choose_strategies(
    analysis: Analysis,
    statement: str,
    *,
    asker: Asker,
    prompts: Prompts,
    consulted: Consulted,
    interactive: bool,
    language: Language,
) -> tuple[Strategy, ...]:
    """Several ways to go at the problem, each citing blocks and contests that exist. Call it in `analyze`.

    Args:
        analysis: its tags tell which past contests are like the problem.
        statement: shown to the model as a quotation.
        asker: where it has no usable answer, rules choose.
        prompts: in the language.
        consulted: what may be cited.
        interactive: of the problem.
        language: of strategies that rules choose.
    """
    tags = (*analysis.problem_type_tags, *analysis.extracted_keywords)
    similar = similar_contests(tags, consulted.contests.values())
    answered = asker.ask(_question(analysis, statement, similar, prompts, consulted, language), Answered)
    if answered:
        by_title = {each.title: each.citing(consulted.names) for each in answered.strategies}
        return tuple(by_title.values())
    return strategies_by_rules(similar, consulted, interactive=interactive, language=language)


def _question(
    analysis: Analysis,
    statement: str,
    similar: tuple[Similar, ...],
    prompts: Prompts,
    consulted: Consulted,
    language: Language,
) -> str:
    blocks = (f"- {stem}: {block.described(language)}" for stem, block in consulted.blocks.items())
    contests = (f"- {contest_line(each.contest)}" for each in similar)
    return prompts.fill(
        "strategies",
        statement=quoted(statement[:MOST_STATEMENT]),
        analysis=quoted(analysis.model_dump_json(indent=1, include=FOUND), "json"),
        blocks="\n".join(blocks),
        contests="\n".join(contests) or "–",
    )
