"""Everything that is thought of a problem before the search: its analysis, strategies, and what they were made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evograft_ahc.analysis.analyse import analyse
from evograft_ahc.analysis.analysis import Analysis
from evograft_ahc.messages import Language
from evograft_ahc.strategies.consulted import Consulted
from evograft_ahc.strategies.strategist import choose_strategies
from evograft_ahc.strategies.strategy import Strategy
from evograft_ahc.task import Task
from evograft_ahc.thinking.asking import Asker
from evograft_ahc.thinking.prompts import Prompts
from evograft_hookspecs import Advice, FrozenDict, Value
from evograft_hookspecs.values import Text

PARTS = 4
"""Of a path such as `workspace/ahc030/problem/problem.md`."""


class Thoughts(Value):
    """Part of `Problem.analysis`, and so of the log: a resumed run thinks of nothing anew."""

    statement: Analysis
    interactive: bool
    strategies: tuple[Strategy, ...]
    library: FrozenDict[Text, Text]
    """A line on each library block and past contest, by name: `evo run --interactive` answers questions from it."""
    lessons: tuple[Advice, ...] = ()
    """Of earlier sessions of the contest; whoever poses the problem adds them."""

    @classmethod
    def within(cls, analysis: Mapping[str, Any]) -> Thoughts:
        """Those in a problem's analysis, whatever else stands there."""
        return cls.model_validate({name: analysis[name] for name in cls.model_fields if name in analysis})


def think(
    task: Task, statement_file: Path, *, asker: Asker, prompts: Prompts, consulted: Consulted, language: Language
) -> Thoughts:
    """Thinks a contest over, with two questions to a model or with none. Call it in `analyze`.

    Args:
        task: what the workspace knows of the contest.
        statement_file: Markdown.
        asker: with `ctx.llm`.
        prompts: what `load_prompts` reads.
        consulted: library and past contests.
        language: of everything that is not a model's.
    """
    statement = statement_file.read_text(encoding="utf-8")
    analysis = analyse(statement, task, asker=asker, prompts=prompts, path=_short(statement_file))
    strategies = choose_strategies(
        analysis,
        statement,
        asker=asker,
        prompts=prompts,
        consulted=consulted,
        interactive=task.interactive,
        language=language,
    )
    return Thoughts(
        statement=analysis,
        interactive=task.interactive,
        strategies=strategies,
        library=FrozenDict(consulted.entries(language)),
    )


def _short(file: Path) -> str:
    """The path from the folder of workspaces on: the rest differs between machines on which runs are to be equal."""
    return "/".join(file.parts[-PARTS:])
