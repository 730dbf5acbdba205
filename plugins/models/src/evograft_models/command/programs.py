"""Command-line programs that answer prompts: how each is called, and where its output says what."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from evograft_hookspecs import NoOptions

PROMPT, PROMPT_FILE, ANSWER_FILE, MODEL = "{prompt}", "{prompt_file}", "{answer_file}", "{model}"
"""What an argument may contain, and what is put in its place."""


def _check_expression(text: str) -> str:
    if text:
        import jmespath

        try:
            jmespath.compile(text)
        except jmespath.exceptions.JMESPathError as err:
            raise ValueError(f"{text!r} is not a JMESPath expression: {err}") from err
    return text


Expression = Annotated[str, AfterValidator(_check_expression)]
"""A JMESPath expression for a program's output; empty: the output does not say."""


class OutputRules(NoOptions):
    """Where a program's output says what. With `lines`, expressions get the list of its lines."""

    format: Literal["text", "json", "lines"] = "text"
    """`text`: the output is the answer; `json`: it is one JSON value; `lines`: it is a JSON value a line."""
    text: Expression = ""
    """The answer. It is not looked for where a command has an `{answer_file}`."""
    error: Expression = ""
    """Why there is no answer; nothing, false or empty: there is one."""
    prompt_tokens: Expression = ""
    completion_tokens: Expression = ""
    dollars: Expression = ""
    """What the call has cost, if the program knows."""


class AnsweringProgram(NoOptions):
    """A program and its arguments, and how its output is read."""

    command: Annotated[tuple[str, ...], Field(min_length=1)]
    """The prompt takes the place of `{prompt}`, or is in a file that takes the place of `{prompt_file}`; without
    either, it is the standard input."""
    model: tuple[str, ...] = ()
    """More arguments if a model is named."""
    output: OutputRules = OutputRules()

    def arguments(self, values: dict[str, str], *, with_model: bool) -> list[str]:
        """Return the command with its values put in."""
        return [_fill(part, values) for part in (*self.command, *(self.model if with_model else ()))]

    def has(self, placeholder: str) -> bool:
        """Return whether the command has a place for a value."""
        return any(placeholder in part for part in self.command)


def _fill(part: str, values: dict[str, str]) -> str:
    """Put values in, once: what stands in a value stays as it is."""
    name = next((name for name in values if name in part), None)
    if name is None:
        return part
    before, _, after = part.partition(name)
    return f"{_fill(before, values)}{values[name]}{_fill(after, values)}"


@cache
def find_program(name: str) -> AnsweringProgram | None:
    """Return a program that is known by its name; `None`: it is not."""
    settings = _KNOWN.get(name)
    return AnsweringProgram.model_validate(settings) if settings else None


def list_programs() -> tuple[str, ...]:
    """Return the names of the programs that are known."""
    return tuple(_KNOWN)


_KNOWN: dict[str, dict[str, Any]] = {
    "claude": {
        "command": ("claude", "-p", "--output-format", "json"),
        "model": ("--model", MODEL),
        "output": {
            "format": "json",
            "text": "result",
            "error": "is_error && (result || subtype)",
            "prompt_tokens": (
                "usage.sum([input_tokens, cache_creation_input_tokens || `0`, cache_read_input_tokens || `0`])"
            ),
            "completion_tokens": "usage.output_tokens",
            "dollars": "total_cost_usd",
        },
    },
    "codex": {
        "command": (
            *("codex", "exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only"),
            *("--output-last-message", ANSWER_FILE, "-"),
        ),
        "model": ("--model", MODEL),
        "output": {
            "format": "lines",
            "error": "[?type=='turn.failed'].error.message | [-1]",
            "prompt_tokens": "sum([?type=='turn.completed'].usage.input_tokens)",
            "completion_tokens": "sum([?type=='turn.completed'].usage.output_tokens)",
        },
    },
    "gemini": {
        "command": ("gemini", "--output-format", "json"),
        "model": ("--model", MODEL),
        "output": {
            "format": "json",
            "text": "response",
            "error": "error.message",
            "prompt_tokens": "sum(values(stats.models)[].tokens.prompt)",
            "completion_tokens": "sum(values(stats.models)[].tokens.[candidates, thoughts || `0`][])",
        },
    },
    "llm": {"command": ("llm", "--no-stream"), "model": ("--model", MODEL)},
}
