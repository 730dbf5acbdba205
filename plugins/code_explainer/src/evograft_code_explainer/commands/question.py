"""`evo explain QUESTION`, in a new conversation or one that is continued."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from evograft.api import (
    PluginError,
    ServiceError,
    load_settings,
)
from evograft.cli_kit.console import Display
from evograft.cli_kit.signals import interrupt_on_signals
from evograft_agent.conversations.conversation_store import ConversationStore
from evograft_code_explainer.catalog import load_catalog
from evograft_code_explainer.commands.answer_output import format_answer, print_answer, require_writable, write_answer
from evograft_code_explainer.commands.conversation_choice import begin, follow
from evograft_code_explainer.questions.pipeline import read_options
from evograft_code_explainer.questions.progress import QuestionProgress
from evograft_code_explainer.questions.session import QuestionSession
from evograft_code_explainer.search.ripgrep import has_ripgrep

if TYPE_CHECKING:
    from evograft_code_explainer.commands.arguments import QuestionArguments


def ask(given: QuestionArguments) -> int:
    """Ask a question in a new conversation, or continue one."""
    # The conversation stays, and can be continued.
    interrupt_on_signals()
    if given.output:
        require_writable(given.output, overwriting=given.overwrite)
    shelf = ConversationStore.for_user()
    display = Display("quiet" if given.as_json else load_settings().progress)
    run, conversation = begin(given, shelf, display) if given.followed is None else follow(given, shelf)
    options = read_options(run.pipeline)
    words = load_catalog(options.asking.language)
    progress = QuestionProgress(display, words, steps=options.asking.steps)
    with display:
        progress.say(words("begun", root=options.root, id=conversation.conversation_id))
        if given.followed is None and not has_ripgrep():
            progress.say(words("slow_search"))
        if run.pipeline.llm.driver == "manual":
            progress.say(words("manual", folder=run.path))
        try:
            outcome = QuestionSession(run, shelf, conversation, progress).work()
        except (PluginError, ServiceError) as err:
            if given.followed is None:  # who continues one knows how to
                err.args = (f"{err}; mend that, then: evo explain --continue {conversation.conversation_id}",)
            raise
    text = format_answer(outcome, words)
    written = given.output if outcome.outcome == "complete" else None
    if written:
        write_answer(written, text, conversation=conversation.conversation_id, overwriting=given.overwrite)
    if given.as_json:
        click.echo(json.dumps(outcome.to_data()))
    else:
        print_answer(outcome, text, words, written=written)
    return outcome.exit_code
