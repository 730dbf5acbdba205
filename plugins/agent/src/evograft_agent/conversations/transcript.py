"""A conversation as the turns that a model is shown: results follow the message that asked for them; all must fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

from evograft.text.i18n import Catalog
from evograft_agent.conversations.conversation import Conversation, ToolUse
from evograft_hookspecs import Message as Turn


@dataclass(frozen=True)
class _Part:
    """A piece of a turn."""

    role: str
    text: str
    short: str | None = None
    """Its replacement if there is no room; `None`: it always stays."""


def build_turns(conversation: Conversation, words: Catalog, *, room: int) -> tuple[Turn, ...]:
    """Return the turns of a conversation, user and assistant alternating.

    Args:
        conversation: ends with the user's or with results.
        words: of the agent.
        room: characters. Where it is too small, results are left out, the oldest first, and the newest is cut. What the
            two sides have said always stays.
    """
    parts = _fit(_parts(conversation, words), words, room)
    sides = groupby(parts, key=lambda part: part.role)
    return tuple(
        Turn.model_validate({"role": role, "content": "\n\n".join(part.text for part in side)}) for role, side in sides
    )


def _parts(conversation: Conversation, words: Catalog) -> list[_Part]:
    parts = []
    for message in conversation.messages:
        parts.append(_Part(message.role, message.content))
        parts += [
            _Part("user", _describe(use), _describe(_describe_left_out(use, words))) for use in message.tool_calls
        ]
    return parts


def _describe(use: ToolUse) -> str:
    """Return a result as the model reads it, in any language."""
    element = "error" if use.error or not use.tool else "result"
    tool = f' tool="{use.tool}"' if use.tool else ""
    return f"<{element}{tool}>\n{use.result}\n</{element}>"


def _describe_left_out(use: ToolUse, words: Catalog) -> ToolUse:
    return use.model_copy(update={"result": words("left_out")})


def _fit(parts: list[_Part], words: Catalog, room: int) -> list[_Part]:
    excess = sum(len(part.text) for part in parts) - room
    fitted = []
    for part in parts[:-1]:
        shown = part
        if excess > 0 and part.short is not None and len(part.short) < len(part.text):
            shown = replace(part, text=part.short)
        excess -= len(part.text) - len(shown.text)
        fitted.append(shown)
    newest = parts[-1]
    if excess > 0 and newest.short is not None:
        kept = max(0, len(newest.text) - excess)
        newest = replace(newest, text=words("cut", text=newest.text[:kept], n=len(newest.text) - kept))
    return [*fitted, newest]
