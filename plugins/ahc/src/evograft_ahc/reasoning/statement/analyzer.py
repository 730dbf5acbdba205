"""A statement, analysed: by a model where there is one, else by rules."""

from __future__ import annotations

from evograft_ahc.contests.task import Task
from evograft_ahc.reasoning.prompts.quotes import quoted
from evograft_ahc.reasoning.prompts.templates import Prompts
from evograft_ahc.reasoning.statement.analysis import Analysis
from evograft_ahc.reasoning.statement.rules import analyse_by_rules
from evograft_ahc.reasoning.structured_answer import Asker

MOST_STATEMENT = 60_000
"""Characters of a statement that a model is shown."""


def analyse(statement: str, task: Task, *, asker: Asker, prompts: Prompts, path: str) -> Analysis:
    """Finds out what a contest asks for. Call it in `analyze`.

    A statement comes from somewhere else: it is shown to the model as a quotation, and whatever comes back can only
    become data of an analysis. What the task says anyway is taken from there.

    Args:
        statement: the text, Markdown.
        task: what the workspace knows of the contest.
        asker: where it has no usable answer, rules read the statement.
        prompts: in the user's language.
        path: of the file that the statement stands in.
    """
    question = prompts.fill("analysis", statement=quoted(statement[:MOST_STATEMENT]))
    found = asker.ask(question, Analysis)
    known = {
        "title": task.title or task.contest_id,
        "time_limit_ms": round(task.time_limit_seconds * 1000),
        "memory_limit_mb": task.memory_limit_mb,
        "raw_problem_text_path": path,
    }
    return (found or analyse_by_rules(statement, task)).model_copy(update=known)
