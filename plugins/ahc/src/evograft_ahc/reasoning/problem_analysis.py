"""Everything that is thought of a problem before the search: its analysis, strategies, and what they were made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evograft_ahc.contests.task import ContestTask
from evograft_ahc.reasoning.prompts.templates import PromptTemplates, quote
from evograft_ahc.reasoning.statement.analysis import StatementAnalysis
from evograft_ahc.reasoning.statement.rules import analyze_by_rules
from evograft_ahc.reasoning.strategies.knowledge_sources import KnowledgeSources
from evograft_ahc.reasoning.strategies.strategist import choose_strategies
from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_ahc.reasoning.structured_answer import StructuredQuery
from evograft_ahc.text.messages import Language
from evograft_ahc.workspace.folder import Workspace
from evograft_hookspecs import Advice, FrozenDict, Value
from evograft_hookspecs.values import Text

HEAD = 80
"""Characters of an input that are shown."""
MOST_STATEMENT = 60_000
"""Characters of a statement that a model is shown."""


class ProblemAnalysis(Value):
    """Part of `Problem.analysis`, and so of the log: a resumed run does not repeat the analysis."""

    statement: StatementAnalysis
    interactive: bool
    strategies: tuple[ContestStrategy, ...]
    library: FrozenDict[Text, Text]
    """A line on each library block and past contest, by name: `evo run --interactive` answers questions from it."""
    inputs: FrozenDict[Text, Text] = FrozenDict()
    """How the input of each case begins, which is where sizes stand; of an interactive problem nothing is told."""
    lessons: tuple[Advice, ...] = ()
    """Of earlier sessions of the contest; whatever poses the problem adds them."""
    noise: float | None = None
    """By what share a second run of the start program differs on a case; `None`: it does not, or nobody knows."""

    @classmethod
    def within(cls, analysis: Mapping[str, Any]) -> ProblemAnalysis:
        """Return those in a problem's analysis, whatever else stands there."""
        return cls.model_validate({name: analysis[name] for name in cls.model_fields if name in analysis})


def analyze_problem(
    task: ContestTask,
    statement: str,
    *,
    path: str,
    query: StructuredQuery,
    prompts: PromptTemplates,
    knowledge: KnowledgeSources,
    language: Language,
) -> ProblemAnalysis:
    """Analyze a contest, with two questions to a model or with none. Call it in `analyze`.

    Args:
        task: what the workspace knows of the contest.
        statement: Markdown.
        path: of its file, as the analysis names it.
        query: with `ctx.llm`.
        prompts: what `load_prompts` reads.
        knowledge: library and past contests.
        language: of everything that is not a model's.
    """
    analysis = analyze_statement(statement, task, query=query, prompts=prompts, path=path)
    strategies = choose_strategies(
        analysis,
        statement,
        query=query,
        prompts=prompts,
        knowledge=knowledge,
        interactive=task.interactive,
        language=language,
    )
    return ProblemAnalysis(
        statement=analysis,
        interactive=task.interactive,
        strategies=strategies,
        library=FrozenDict(knowledge.entries(language)),
    )


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


def read_input_heads(workspace: Workspace, cases: Sequence[str]) -> FrozenDict[str, str]:
    """Return the first line of each case's input; none if it may hold what a program is not to know."""
    if workspace.task.interactive:
        return FrozenDict()
    return FrozenDict({case: _head(workspace.input(case)) for case in cases})


def _head(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as lines:
        return lines.readline(HEAD).strip()
