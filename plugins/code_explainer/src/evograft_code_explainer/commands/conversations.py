"""`evo explain --list`, `--show` and `--delete`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click

from evograft.api import UserError
from evograft.text.escapes import escape_controls, sanitize
from evograft.text.excerpts import clip
from evograft.text.i18n import Catalog
from evograft_agent.conversations.conversation import Conversation, ConversationMessage, ToolUse
from evograft_agent.conversations.conversation_store import ConversationStore
from evograft_agent.loop import FINISH_TOOL
from evograft_code_explainer.catalog import load_catalog
from evograft_code_explainer.questions.notes import describe_call

SHOWN_LINES = 10
"""Of a result."""


def list_all(*, as_json: bool, language: str | None) -> int:
    """List the conversations, newest first."""
    found = list(_readable(ConversationStore.for_user()))
    if as_json:
        click.echo(json.dumps([_summary(each) for each in found]))
        return 0
    words = load_catalog(language)
    if not found:
        click.echo(words("none_kept"))
        return 0
    titles = [words(f"list_{name}") for name in ("conversation", "last", "messages", "state", "question")]
    _print_aligned([titles, *(_row(each, words) for each in found)])
    return 0


def _row(conversation: Conversation, words: Catalog) -> list[str]:
    last = f"{conversation.messages[-1].timestamp:%Y-%m-%d %H:%M}" if conversation.messages else ""
    state = words("state_complete" if _is_answered(conversation) else "state_open")
    question = sanitize(_question(conversation), 100).replace("\n", " ")
    return [conversation.conversation_id, last, str(len(conversation.messages)), state, question]


def _is_answered(conversation: Conversation) -> bool:
    uses = conversation.answers[-1].tool_calls if conversation.answers else ()
    return [use.tool for use in uses if not use.error] == [FINISH_TOOL]


def _print_aligned(rows: Sequence[Sequence[str]]) -> None:
    from rich.cells import cell_len, set_cell_size

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(map(set_cell_size, row, widths)).rstrip())


def show(word: str, *, as_json: bool, language: str | None) -> int:
    """One conversation, or its file."""
    conversation = ConversationStore.for_user().find(word)
    if as_json:
        click.echo(json.dumps(conversation.model_dump(mode="json")))
        return 0
    words = load_catalog(language)
    for message in conversation.messages:
        click.echo("\n".join(_lines(message, words)))
    return 0


def delete(word: str, *, language: str | None) -> int:
    deleted = ConversationStore.for_user().delete(word)
    click.echo(load_catalog(language)("deleted", id=deleted))
    return 0


def _readable(shelf: ConversationStore) -> Iterator[Conversation]:
    """Yield the conversations that can be read: one whose file is damaged hides no other."""
    for name in shelf.list_ids():
        try:
            yield shelf.read(name)
        except UserError as err:
            click.echo(str(err), err=True)


def _question(conversation: Conversation) -> str:
    """Return the first line of the newest question."""
    asked = [message.content for message in conversation.messages if message.role == "user"]
    return asked[-1].partition("\n")[0] if asked else ""


def _summary(conversation: Conversation) -> dict[str, object]:
    times = [message.timestamp.isoformat() for message in conversation.messages]
    return {
        "conversation_id": conversation.conversation_id,
        "begun": times[0] if times else None,
        "last": times[-1] if times else None,
        "messages": len(conversation.messages),
        "answered": _is_answered(conversation),
        "question": _question(conversation),
    }


def _lines(message: ConversationMessage, words: Catalog) -> Iterator[str]:
    yield f"── {words(message.role)}  {message.timestamp:%Y-%m-%d %H:%M:%S}"
    yield escape_controls(message.content)
    for use in message.tool_calls:
        # The answer stands in the message already, unless the model's interface has calls of its own.
        if use.tool != FINISH_TOOL or use.error or use.result not in message.content:
            yield from _use_lines(use, words)
    yield ""


def _use_lines(use: ToolUse, words: Catalog) -> Iterator[str]:
    total = use.result.count("\n") + 1
    yield f"  {words('error') if use.error else words('result', n=total)}  {describe_call(use)}"
    shown = clip(use.result, lines=SHOWN_LINES)
    yield from (f"  │ {line}" for line in shown.text.split("\n"))
    if shown.left_out:
        yield f"  {words('lines_left_out', n=shown.left_out)}"
