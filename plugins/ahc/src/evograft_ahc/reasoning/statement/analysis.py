"""The analysis of a problem: its JSON form is the specified one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evograft_hookspecs import FrozenDict, Value
from evograft_hookspecs.values import Count, Text

# A model writes most of it after reading a page of somebody else's: all of it is bounded.
Line = Annotated[Text, Field(max_length=500)]
Paragraph = Annotated[Text, Field(max_length=4000)]
Label = Annotated[Text, Field(min_length=1, max_length=100)]
Bound = Annotated[int, Field(ge=-(10**30), le=10**30)] | float | Line
"""A number, or text that names another variable."""


class Constraint(Value):
    """The range of a variable."""

    min: Bound | None = None
    max: Bound | None = None
    type: Label = "integer"
    description: Line = ""


class Variable(Value):
    """A part of the input or output."""

    name: Label
    type: Label
    """`int`, `float`, `string`, `array_of_int`, `array_of_objects` and so on."""
    count: int | Line | None = None
    """How many there are of an array; often the name of another variable."""
    object_schema: Annotated[FrozenDict[Label, Label], Field(max_length=30)] = FrozenDict()
    """The parts of an object, name to type."""


class ScoringRules(Value):
    description: Paragraph = ""
    """Direction, value of an invalid output, relative or absolute."""
    formula_example: Paragraph = ""


class StatementAnalysis(Value):
    """What a statement says, taken apart. What has no default is to be read out of it; the rest is known anyway."""

    title: Line = ""
    time_limit_ms: Count = 0
    memory_limit_mb: Count = 0
    problem_statement_summary: Paragraph
    constraints: Annotated[FrozenDict[Label, Constraint], Field(max_length=60)]
    input_format_description: Paragraph
    input_variables: Annotated[tuple[Variable, ...], Field(max_length=40)]
    output_format_description: Paragraph
    output_variables: Annotated[tuple[Variable, ...], Field(max_length=40)]
    scoring_rules: ScoringRules
    problem_type_tags: Annotated[tuple[Label, ...], Field(max_length=30)]
    extracted_keywords: Annotated[tuple[Label, ...], Field(max_length=60)]
    raw_problem_text_path: Text = ""
