"""Answering a question of the user with a search, a model, and the agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from evograft.api import load_settings
from evograft.cli_kit.console import Display
from evograft.text.escapes import escape_controls
from evograft.text.i18n import usual_language
from evograft_playbook.commands.generators import open_generator_class
from evograft_playbook.commands.options import open_store
from evograft_playbook.commands.output import load_words, say
from evograft_playbook.commands.settings import open_pipeline_model, read_options
from evograft_playbook.generator import Generator
from evograft_playbook.language_model import build_pipeline
from evograft_playbook.prompts import PromptBuilder
from evograft_playbook.search.open import open_search
from evograft_playbook.types import Trajectory


@dataclass(frozen=True)
class AnswerArguments:
    """Arguments and options, named as click names them."""

    query: str
    dataset: str
    llm: str | None
    overrides: tuple[str, ...]
    prompts: str
    language: str | None
    top_k: int
    max_tokens: int
    output: Path | None
    path: Path | None
    as_json: bool
    generator: str | None = None


def answer_question(given: AnswerArguments) -> Trajectory:
    """Return the agent's answer to the question.

    Raises:
        UserError: playbook, settings or model are at fault; nothing was asked.
    """
    with open_generator_class(given.generator) as make:
        return _answer(given, make)


def _answer(given: AnswerArguments, make: Callable[..., Generator]) -> Trajectory:
    pipeline = build_pipeline(given.overrides, llm=given.llm)
    options = read_options(pipeline, read=("search",))
    prompts = PromptBuilder(given.prompts, language=given.language or usual_language())
    with (
        # A playbook that is named must be there; the usual one may be empty as yet.
        open_store(given.path, must_exist=given.path is not None) as store,
        open_search(store.path, options.search, say=say) as search,
        open_pipeline_model(pipeline) as model,
        Display("quiet" if given.as_json else load_settings().progress) as display,
    ):
        if display.is_live:
            _turn(display)
        agent = make(
            store,
            search,
            model,
            prompts,
            top_k=given.top_k,
            max_tokens=given.max_tokens,
            language=given.language,
        )
        return agent.run(given.query, given.dataset)


def print_trajectory(trajectory: Trajectory) -> None:
    """Print the answer on standard output, and how it came about on standard error."""
    for step in trajectory.reasoning_steps:
        say(step)
    if trajectory.error_message is not None:
        say(load_words()("failed", reason=trajectory.error_message))
    else:
        click.echo(escape_controls(trajectory.generated_answer))


def _turn(display: Display) -> None:
    from rich.spinner import Spinner

    display.move(Spinner("dots", load_words()("asking")))
