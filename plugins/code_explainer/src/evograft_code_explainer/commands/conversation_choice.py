"""The conversation that a question belongs to: a new one, or one that is continued."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from evograft.api import (
    Pipeline,
    RunFolder,
    begin_conversation,
    find_conversation,
    llm_settings,
    load_settings,
    require_model,
)
from evograft.cli_kit.console import Display
from evograft.text.i18n import Catalog
from evograft.text.masking import Keys
from evograft_agent.conversations.conversation import Conversation
from evograft_agent.conversations.conversation_store import ConversationStore
from evograft_code_explainer.catalog import load_catalog
from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.map.code_map import build_map
from evograft_code_explainer.map.text import format_map
from evograft_code_explainer.options import CodeExplainerOptions
from evograft_code_explainer.questions.pipeline import build_pipeline, fit_pipeline, read_options
from evograft_code_explainer.questions.task import build_request, normalize_question

if TYPE_CHECKING:
    from evograft_code_explainer.commands.arguments import QuestionArguments

MAP_CHARACTERS = 12_000
"""Of a map, at most; a model with little room gets a smaller one."""


def begin(given: QuestionArguments, shelf: ConversationStore, display: Display) -> tuple[RunFolder, Conversation]:
    """Begin a conversation with a first question."""
    question = normalize_question(given.question) if given.question is not None else ""
    pipeline = build_pipeline(given.config, given.settings, llm=given.llm)
    require_model(pipeline)
    options = read_options(pipeline)
    words = load_catalog(options.asking.language)
    code_map = _map(options, words, display) if given.deep else ""
    text = build_request(words, question, document=given.document, code_map=code_map)
    conversation = shelf.create(_without_keys(text, pipeline), at=datetime.now(UTC))
    run = begin_conversation(pipeline, shelf.get_folder(conversation))
    shelf.save(conversation)
    return run, conversation


def _map(options: CodeExplainerOptions, words: Catalog, display: Display) -> str:
    display.say(words("mapping", root=options.root))
    characters = min(MAP_CHARACTERS, options.asking.room // 4)
    return format_map(build_map(Repository(options)), characters=characters, language=words.language)


def follow(given: QuestionArguments, shelf: ConversationStore) -> tuple[RunFolder, Conversation]:
    """Find the conversation that is continued, with a further question if there is one."""
    conversation = shelf.find(given.followed or "")
    settings = (*llm_settings(given.llm, Path(load_settings().runs_dir)), *given.settings)
    run = find_conversation(shelf.get_folder(conversation), settings, fitted=fit_pipeline)
    if given.question is not None:
        question = _without_keys(normalize_question(given.question), run.pipeline)
        conversation = conversation.with_question(question, at=datetime.now(UTC))
    return run, conversation


def _without_keys(text: str, pipeline: Pipeline) -> str:
    return Keys.of(pipeline.to_data()).masked(text)
