"""The plugin's `with:` section."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.search.tuning.options import TuningOptions
from evograft_ahc.settings.records import SessionRecordOptions
from evograft_ahc.text.messages import Language
from evograft_ahc.text.placeholders import CrossoverPrompt, MutationPrompt
from evograft_hookspecs import NoOptions
from evograft_hookspecs.services.sandbox import Positive
from evograft_hookspecs.values import Text


class RacingOptions(NoOptions):
    """A race of a candidate against the incumbent."""

    block: Positive = 5
    """How many cases are run between two looks."""
    error_rate: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """The chance that a candidate as good as the incumbent is given up, over all looks."""
    order: Literal["run", "trial"] = "run"
    """Whether cases are run in one order for the whole run, or in another one for each trial: then an incumbent that is
    lucky on the first cases does not err for all that race against it."""
    audit: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The share of the candidates to be given up that are run on all cases all the same, to see how often races err."""


class AhcOptions(NoOptions):
    """How a contest is worked on. `evo ahc solve` makes these from the user's settings."""

    workspace: Text = ""
    """A folder that `evo ahc init` has made; empty: one for `contest`, in the user's cache."""
    contest: Text = "practice001"
    """A contest to practise on. Not read where there is a `workspace`."""
    start: tuple[Text, ...] = ()
    """The programs that the search begins with, relative to the workspace; none: `start.cpp`, or what a
    model writes where there is no such file."""
    training_cases: Positive = 50
    """The first cases of the workspace: the score that is climbed is that over all of them."""
    held_out_cases: Positive = 50
    """The cases that follow: only the best program is judged on them, at the end."""
    problem_file: Text = ""
    """The statement, relative to the workspace; empty: `problem/problem.md`."""
    language: Language = "en"
    """Of prompts, feedback and strategies."""
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """At which models are asked for analysis and strategies; null: the provider's default."""
    max_tokens: Positive = 4096
    """Of an answer of those."""
    prompts: Text = ""
    """A folder with templates that go before those of the package; docs/ahc-thinking.md lists them."""
    mutation_prompts: tuple[MutationPrompt, ...] = ()
    """Each with {code_snippet} or {function_code}; none: those of the language."""
    crossover_prompts: tuple[CrossoverPrompt, ...] = ()
    """Each with {code_A} and {code_B}; none: that of the language."""
    library: tuple[Text, ...] = ()
    """Folders with more blocks."""
    contests: tuple[Text, ...] = ()
    """Files, or folders of them, with more past contests."""
    feedback: Literal["summary", "cases"] = "summary"
    """What prompts tell of a program: a summary; `cases`: also its score on each case next to the best so far, what it
    prints on its standard error, its seconds, its weakest cases, and what was tried in the same way."""
    knowledge: Literal["own", "others", "none"] = "own"
    """Which past contests models are told of: all; `others`: all but this one; `none`."""
    aim: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """A mean score of a case that is good, for prompts to aim at; null: they tell of the best so far alone."""
    kept_answers: bool = False
    """Whether the answers to questions for analysis and strategies are kept in the workspace, for its next session."""
    earlier_sessions: bool = False
    """Whether this run starts from what earlier ones in the workspace have shown: their best programs are among the
    references that scores compare with, and models are told of what helped. Then equal settings make equal runs no
    more."""
    judge: JudgeSettings = JudgeSettings()
    agent: Annotated[float, Field(ge=0, le=1)] = 0.0
    """How much of the weight of all that asks a model for a change an agent with tools has; 0: there is none, 1: there
    is nothing else."""
    tuning: TuningOptions = TuningOptions()
    racing: RacingOptions | None = RacingOptions()
    """How early a candidate that can't reach the incumbent is given up; null: each is run on all training cases."""
    records: SessionRecordOptions | None = SessionRecordOptions()
    """What a session leaves next to its log; null: nothing."""
