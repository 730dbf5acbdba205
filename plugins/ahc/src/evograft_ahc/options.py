"""The plugin's `with:` section."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.messages import Language
from evograft_ahc.placeholders import CrossoverPrompt, MutationPrompt
from evograft_ahc.records.options import RecordOptions
from evograft_hookspecs import NoOptions
from evograft_hookspecs.values import Text


class AhcOptions(NoOptions):
    """How a contest is worked on. `evo ahc solve` makes these from the user's settings."""

    workspace: Text = ""
    """The folder of the contest; empty: practice001, in the user's cache."""
    problem_file: Text = ""
    """The statement, relative to the workspace; empty: `problem/problem.md`."""
    language: Language = "en"
    """Of prompts, feedback and strategies."""
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """At which models are asked for analysis and strategies; null: the provider's default."""
    max_tokens: Annotated[int, Field(ge=1)] = 4096
    """Of an answer of those."""
    mutation_prompts: tuple[MutationPrompt, ...] = ()
    """Each with {code_snippet} or {function_code}; none: those of the language."""
    crossover_prompts: tuple[CrossoverPrompt, ...] = ()
    """Each with {code_A} and {code_B}; none: that of the language."""
    library: tuple[Text, ...] = ()
    """Folders with more blocks."""
    contests: tuple[Text, ...] = ()
    """Files, or folders of them, with more past contests."""
    judge: JudgeSettings = JudgeSettings()
    records: RecordOptions | None = RecordOptions()
    """What a session leaves beside its log; null: nothing."""
