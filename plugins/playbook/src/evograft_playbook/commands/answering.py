"""A question of the user on its way to an answer: a model at a desk, a search, and the agent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from evograft.agent.desk import begin, desk
from evograft.composing import llm_settings
from evograft.config import Pipeline, resolve
from evograft.display import Display
from evograft.errors import CallEnded
from evograft.pages.clip import told, visible
from evograft.pages.texts import usual_language
from evograft.settings import load_settings
from evograft_hookspecs import LlmAnswer, LlmRequest
from evograft_hookspecs.ports import LlmService
from evograft_playbook.commands.options import opened
from evograft_playbook.commands.showing import words
from evograft_playbook.generator import GeneratorAgent
from evograft_playbook.models import Trajectory
from evograft_playbook.prompting import PromptBuilder
from evograft_playbook.search.opening import open_search

PLUGIN = "playbook"


@dataclass(frozen=True)
class Given:
    """Arguments and options, named as click names them."""

    query: str
    dataset: str
    llm: str | None
    overrides: tuple[str, ...]
    prompts: str
    language: str | None
    top_k: int
    max_tokens: int
    path: Path | None
    as_json: bool


@dataclass(frozen=True)
class DeskModel:
    """The model of a desk. What ends a conversation there ends nothing else: it is an error like any other."""

    llm: LlmService

    def complete(self, request: LlmRequest) -> LlmAnswer:
        try:
            return self.llm.complete(request)
        except CallEnded as end:
            raise end.error from end


def answered(given: Given) -> Trajectory:
    """What the agent makes of the question.

    Raises:
        UserError: playbook, settings or model are at fault; nothing was asked.
    """
    prompts = PromptBuilder(given.prompts, language=given.language or usual_language())
    with (
        # A playbook that is named must be there; the usual one may be empty as yet.
        opened(given.path, must_exist=given.path is not None) as store,
        open_search(store.path, say=_say) as search,
        TemporaryDirectory(prefix="evograft-playbook-") as folder,
    ):
        run = begin(_pipeline(given), Path(folder) / "question")
        if run.pipeline.llm.driver == "manual":
            _say(words()("manual", folder=run.path))
        with desk(run, PLUGIN) as at:
            model = DeskModel(at.ctx.llm)
            agent = GeneratorAgent(store, search, model, prompts, top_k=given.top_k, max_tokens=given.max_tokens)
            with Display("quiet" if given.as_json else load_settings().progress) as display:
                if display.is_live:
                    _turn(display)
                return agent.run(given.query, given.dataset)


def show(trajectory: Trajectory) -> None:
    """The answer on standard output, how it came about on standard error."""
    for step in trajectory.reasoning_steps:
        _say(step)
    if trajectory.error_message is not None:
        _say(words()("failed", reason=trajectory.error_message))
    else:
        click.echo(visible(trajectory.generated_answer))


def _turn(display: Display) -> None:
    from rich.spinner import Spinner

    display.move(Spinner("dots", words()("asking")))


def _pipeline(given: Given) -> Pipeline:
    """Of the conversation with the model, which is one question."""
    settings = (*llm_settings(given.llm, Path(load_settings().runs_dir)), *given.overrides)
    return resolve({"name": PLUGIN, "plugins": [PLUGIN]}, settings, source="playbook run")


def _say(text: str) -> None:
    click.echo(told(text), err=True)
