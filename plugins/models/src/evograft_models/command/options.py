"""The options of the driver `command`."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evograft_models.command.programs import (
    ANSWER_FILE,
    AnsweringProgram,
    OutputRules,
    find_program,
    list_programs,
)
from evograft_models.http.api_keys import KeyVariable


class CommandOptions(BaseModel):
    """Which program is run for each question, and what it is given."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    command: tuple[str, ...] = ()
    """A program and its arguments; empty: the model's name says which known program it is, such as `claude/opus`."""
    output: OutputRules = OutputRules()
    """How the output of `command` is read."""
    pass_env: tuple[KeyVariable, ...] = ()
    """Environment variables that the program gets, in addition to the usual ones."""
    output_mb: Annotated[float, Field(gt=0, le=1000)] = 16.0
    """The most that a program may print; one that prints more is ended."""

    @model_validator(mode="after")
    def _output_has_an_answer(self) -> Self:
        has_file = any(ANSWER_FILE in part for part in self.command)
        if self.output.format != "text" and not self.output.text and not has_file:
            raise ValueError(
                f"output.text: say where the answer is in the {self.output.format} (a JMESPath expression), or let the "
                f"command write it to {ANSWER_FILE}"
            )
        return self

    def find_program(self, model: str) -> tuple[AnsweringProgram, str]:
        """Return the program that answers for a model, and the name that the program itself has for the model.

        Raises:
            ValueError: there is no such program.
        """
        if self.command:
            return AnsweringProgram(command=self.command, output=self.output), model
        name, _, own = model.partition("/")
        program = find_program(name)
        if program is None:
            raise ValueError(
                f"llm.command is not set, and the model {model!r} does not begin with a known program "
                f"({', '.join(list_programs())}): name it as in 'claude/opus', or set llm.command"
            )
        return program, own
