"""The options of the plugin: how models are asked, and how often which operator is."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from evograft_hookspecs import FrozenDict, NoOptions
from evograft_hookspecs.values import Name, Number, Text
from evograft_operators.formulas import edits
from evograft_operators.models import operations

Positive = Annotated[int, Field(strict=True, ge=1)]
Weight = Annotated[float, Field(strict=True, ge=0)]


class AgentOptions(NoOptions):
    """How the operator `agent` works."""

    share: Annotated[float, Field(strict=True, ge=0, le=1)] = 0.0
    """How much of the weight of all operators with a model it has, where there is a parent; 0: it is offered to
    selections with the strategy `agent` only, 1: it is the only one."""
    steps: Annotated[int, Field(strict=True, ge=2, le=200)] = 20
    """Messages of the model for a candidate at most."""
    evaluations: Annotated[int, Field(strict=True, ge=0, le=100)] = 4
    """Evaluations before it hands in its candidate at most; 0: it cannot evaluate."""
    calls: Annotated[int, Field(strict=True, ge=0, le=1000)] = 40
    """Calls of plugins' tools for a candidate at most: what they run is no evaluation, and counts in no budget."""


class OperatorsOptions(NoOptions):
    """Most of them concern models only."""

    max_tokens: Positive = 8192
    """The length of an answer at most. A rewritten program has to fit in."""
    tool_steps: Annotated[int, Field(strict=True, ge=1, le=100)] = 1
    """How many messages a model may take for an answer. With more than one it may call the pipeline's tools before."""
    agent: AgentOptions = AgentOptions()
    """Of the operator that works with tools."""
    temperature: tuple[Number, Number] | None = (0.0, 1.0)
    """The range that the selection's temperature is held within; `None`: models are asked with their own default."""
    language: Text = "en"
    """The prompts' language: `en`, `ja`, or a folder with a whole set of templates."""
    prompts: Text = ""
    """A folder whose templates go before those of the language; the others are not touched."""
    prompt_chars: Annotated[int, Field(strict=True, ge=4000)] = 120_000
    """The length of a prompt at most, in characters. Long parts are cut in the middle."""
    offers: bool = True
    """Whether it makes proposals of its own that ask a model; false: its operators only carry out those of others."""
    programs: Literal["lines", "ideas"] = "lines"
    """How a prompt tells of programs that it does not show: by lines that only they have; `ideas`: by what the answers
    said that they were in, which is kept with the candidates. With `ideas`, only operators that a strategy does not
    contradict are told of it, and scores have more digits."""
    attempts: Annotated[int, Field(strict=True, ge=0, le=1000)] = 0
    """How many attempts of models are told with their scores, or why they were rejected, beside the best ones; they
    take the place of the reasons of rejections. 0: none."""
    history: Annotated[int, Field(strict=True, ge=0, le=1000)] = 30
    """How many of the newest trials are looked through for what scored well and what did not; 0: none."""
    ancestors: Annotated[int, Field(strict=True, ge=0, le=1000)] = 12
    """How many ancestors are looked through for lines that were dropped; 0: none."""
    metrics: Annotated[int, Field(strict=True, ge=0, le=1000)] = 20
    """How many metrics of each program are shown, in the evaluation's order; 0: none."""
    profiles: FrozenDict[Name, FrozenDict[Name, Weight]] = FrozenDict()
    """Weights of operators by strategy, in place of the usual ones; `other` is for strategies without a profile."""
    share: Annotated[float, Field(strict=True, ge=0, le=1)] = 0.5
    """How much of the weight the operators with a model have where the problem has a grammar too; all weights together
    are 1 there, and 1: formulas are edited in runs without a model only."""
    kinds: tuple[Name, ...] = ()
    """Kinds of candidates that a model may write although they are in no programming language."""
    new_files: bool = False
    """Whether an answer may add files to a candidate."""
    syntax: Literal["check", "ignore"] = "check"
    """`ignore`: Python programs are not parsed first. For a Python newer than the one that evograft runs on."""

    @field_validator("temperature")
    @classmethod
    def _range_goes_up(cls, value: tuple[float, float] | None) -> tuple[float, float] | None:
        if value is not None and not 0 <= value[0] <= value[1]:
            raise ValueError(f"a range from a number of at least 0 up to a larger one, not {list(value)}")
        return value

    @model_validator(mode="after")
    def _profiles_name_operators(self) -> OperatorsOptions:
        known = (*edits.OPERATIONS, *operations.OFFERED)
        for strategy, weights in self.profiles.items():
            for name in weights:
                if name not in known:
                    raise ValueError(f"profiles.{strategy}: {name!r} is not one of {', '.join(known)}")
        return self
