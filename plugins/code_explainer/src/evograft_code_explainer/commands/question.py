"""`evo explain QUESTION`, and its going on."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft.api import (
    Pipeline,
    PluginError,
    RunFolder,
    ServiceError,
    begin_conversation,
    find_conversation,
    llm_settings,
    load_settings,
    require_model,
)
from evograft.cli_kit.console import Display
from evograft.cli_kit.signals import interrupt_on_signals
from evograft.text.i18n import Catalog
from evograft.text.masking import Keys
from evograft_agent.conversations.conversation import Conversation
from evograft_agent.conversations.conversation_store import ConversationStore
from evograft_code_explainer.catalog import texts
from evograft_code_explainer.commands.answer_output import require_writable, show, shown_text, write
from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.map.code_map import build_map
from evograft_code_explainer.map.text import map_text
from evograft_code_explainer.options import CodeExplainerOptions
from evograft_code_explainer.questions.pipeline import first_pipeline, fitted, options_of
from evograft_code_explainer.questions.progress import Progress
from evograft_code_explainer.questions.session import Inquiry
from evograft_code_explainer.questions.task import normalised, request
from evograft_code_explainer.search.ripgrep import has_ripgrep

if TYPE_CHECKING:
    from evograft_code_explainer.commands.arguments import Given

MAP_CHARACTERS = 12_000
"""Of a map, at most; a model with little room gets a smaller one."""


def ask(given: Given) -> int:
    """Asks a question in a new conversation, or goes on with one."""
    # The conversation stays, and can go on.
    interrupt_on_signals()
    if given.output:
        require_writable(given.output, overwriting=given.overwrite)
    shelf = ConversationStore.usual()
    display = Display("quiet" if given.as_json else load_settings().progress)
    run, conversation = _begin(given, shelf, display) if given.followed is None else _follow(given, shelf)
    options = options_of(run.pipeline)
    words = texts(options.asking.language)
    progress = Progress(display, words, steps=options.asking.steps)
    with display:
        progress.say(words("begun", root=options.root, id=conversation.conversation_id))
        if given.followed is None and not has_ripgrep():
            progress.say(words("slow_search"))
        if run.pipeline.llm.driver == "manual":
            progress.say(words("manual", folder=run.path))
        try:
            outcome = Inquiry(run, shelf, conversation, progress).work()
        except (PluginError, ServiceError) as err:
            if given.followed is None:  # who goes on knows how to
                err.args = (f"{err}; mend that, then: evo explain --continue {conversation.conversation_id}",)
            raise
    text = shown_text(outcome, words)
    written = given.output if outcome.outcome == "complete" else None
    if written:
        write(written, text, conversation=conversation.conversation_id, overwriting=given.overwrite)
    if given.as_json:
        click.echo(json.dumps(outcome.to_data()))
    else:
        show(outcome, text, words, written=written)
    return outcome.exit_code


def _begin(given: Given, shelf: ConversationStore, display: Display) -> tuple[RunFolder, Conversation]:
    question = normalised(given.question) if given.question is not None else ""
    pipeline = first_pipeline(given.config, given.settings, llm=given.llm)
    require_model(pipeline)
    options = options_of(pipeline)
    words = texts(options.asking.language)
    code_map = _map(options, words, display) if given.deep else ""
    text = request(words, question, document=given.document, code_map=code_map)
    conversation = shelf.begin(_without_keys(text, pipeline), at=datetime.now(UTC))
    run = begin_conversation(pipeline, shelf.place(conversation))
    shelf.save(conversation)
    return run, conversation


def _map(options: CodeExplainerOptions, words: Catalog, display: Display) -> str:
    display.say(words("mapping", root=options.root))
    characters = min(MAP_CHARACTERS, options.asking.room // 4)
    return map_text(build_map(Repository(options)), characters=characters, language=words.language)


def _follow(given: Given, shelf: ConversationStore) -> tuple[RunFolder, Conversation]:
    conversation = shelf.find(given.followed or "")
    settings = (*llm_settings(given.llm, Path(load_settings().runs_dir)), *given.settings)
    run = find_conversation(shelf.place(conversation), settings, fitted=fitted)
    if given.question is not None:
        question = _without_keys(normalised(given.question), run.pipeline)
        conversation = conversation.asked(question, at=datetime.now(UTC))
    return run, conversation


def _without_keys(text: str, pipeline: Pipeline) -> str:
    return Keys.of(pipeline.to_data()).masked(text)
