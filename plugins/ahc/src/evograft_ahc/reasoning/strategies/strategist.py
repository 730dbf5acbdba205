"""Chooses strategies for a problem: a model, from the library and past contests; without one, rules."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_ahc.reasoning.prompts.templates import PromptTemplates, quote
from evograft_ahc.reasoning.statement.analysis import StatementAnalysis
from evograft_ahc.reasoning.strategies.knowledge_sources import KnowledgeSources, describe_contest
from evograft_ahc.reasoning.strategies.rules import choose_by_rules
from evograft_ahc.reasoning.strategies.similar_contests import SimilarContest, find_similar_contests
from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_ahc.reasoning.structured_answer import StructuredQuery
from evograft_ahc.text.messages import Language
from evograft_hookspecs import Value

MOST_STATEMENT = 60_000
"""Characters of a statement that a model is shown."""
FOUND = {"problem_statement_summary", "problem_type_tags", "extracted_keywords"}
"""What an analysis says beyond the statement, which stands next to it."""


class StrategyAnswer(Value):
    """What a model answers."""

    strategies: Annotated[tuple[ContestStrategy, ...], Field(min_length=1, max_length=8)]


def choose_strategies(
    analysis: StatementAnalysis,
    statement: str,
    *,
    query: StructuredQuery,
    prompts: PromptTemplates,
    knowledge: KnowledgeSources,
    interactive: bool,
    language: Language,
) -> tuple[ContestStrategy, ...]:
    """Several ways to go at the problem, each citing blocks and contests that exist. Call it in `analyze`.

    Args:
        analysis: its tags tell which past contests are like the problem.
        statement: shown to the model as a quotation.
        query: where it has no usable answer, rules choose.
        prompts: in the language.
        knowledge: what may be cited.
        interactive: of the problem.
        language: of strategies that rules choose.
    """
    tags = (*analysis.problem_type_tags, *analysis.extracted_keywords)
    similar = find_similar_contests(tags, knowledge.contests.values())
    answered = query.ask(_question(analysis, statement, similar, prompts, knowledge, language), StrategyAnswer)
    if answered:
        by_title = {each.title: each.citing(knowledge.names) for each in answered.strategies}
        return tuple(by_title.values())
    return choose_by_rules(similar, knowledge, interactive=interactive, language=language)


def _question(
    analysis: StatementAnalysis,
    statement: str,
    similar: tuple[SimilarContest, ...],
    prompts: PromptTemplates,
    knowledge: KnowledgeSources,
    language: Language,
) -> str:
    blocks = (f"- {stem}: {block.described(language)}" for stem, block in knowledge.blocks.items())
    contests = (f"- {describe_contest(each.contest)}" for each in similar)
    return prompts.fill(
        "strategies",
        statement=quote(statement[:MOST_STATEMENT]),
        analysis=quote(analysis.model_dump_json(indent=1, include=FOUND), "json"),
        blocks="\n".join(blocks),
        contests="\n".join(contests) or "–",
    )
