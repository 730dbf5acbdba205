"""A statement, analysed: by a model where there is one, else by rules."""

from __future__ import annotations

from evograft_ahc.contests.task import ContestTask
from evograft_ahc.reasoning.prompts.templates import PromptTemplates, quote
from evograft_ahc.reasoning.statement.analysis import StatementAnalysis
from evograft_ahc.reasoning.statement.rules import analyze_by_rules
from evograft_ahc.reasoning.structured_answer import StructuredQuery

MOST_STATEMENT = 60_000
"""Characters of a statement that a model is shown."""


def analyze_statement(
    statement: str, task: ContestTask, *, query: StructuredQuery, prompts: PromptTemplates, path: str
) -> StatementAnalysis:
    """Find out what a contest asks for. Call it in `analyze`.

    A statement comes from somewhere else: it is shown to the model as a quotation, and whatever comes back can only
    become data of an analysis. What the task says anyway is taken from there.

    Args:
        statement: the text, Markdown.
        task: what the workspace knows of the contest.
        query: where it has no usable answer, rules read the statement.
        prompts: in the user's language.
        path: of the file that the statement stands in.
    """
    question = prompts.fill("analysis", statement=quote(statement[:MOST_STATEMENT]))
    found = query.ask(question, StatementAnalysis)
    known = {
        "title": task.title or task.contest_id,
        "time_limit_ms": round(task.time_limit_seconds * 1000),
        "memory_limit_mb": task.memory_limit_mb,
        "raw_problem_text_path": path,
    }
    return (found or analyze_by_rules(statement, task)).model_copy(update=known)
