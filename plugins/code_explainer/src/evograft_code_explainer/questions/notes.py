"""Notes about what came to light on the way to an answer that did not come."""

from __future__ import annotations

import re

from evograft.text.escapes import truncate
from evograft.text.i18n import Catalog
from evograft_agent.conversations.conversation import Conversation, ToolUse

THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
CALL = re.compile(r"^\s*(?:[<{\[]|```|~~~)", re.MULTILINE)
"""How a line with a call begins."""
LONGEST = 100
"""Characters of a value."""


def collect_notes(conversation: Conversation, words: Catalog) -> str:
    """Return, as Markdown, what the model said since the last question, and what it looked at.

    Its calls are left out of what it said.
    """
    said = [text for answer in conversation.answers if (text := _prose(answer.content))]
    seen = dict.fromkeys(
        describe_call(use) for answer in conversation.answers for use in answer.tool_calls if use.tool and not use.error
    )
    parts = [f"{words('known')}\n\n" + "\n\n".join(said)] if said else []
    parts += [f"{words('looked')}\n\n" + "\n".join(f"- {line}" for line in seen)] if seen else []
    return "\n\n".join(parts)


def describe_call(use: ToolUse) -> str:
    """Describe a call in a line: `read_file src/main.py start_line=12`."""
    shown = [
        truncate(str(value), LONGEST) if name == "path" else f"{name}={truncate(str(value), LONGEST)}"
        for name, value in use.parameters.items()
    ]
    return " ".join([use.tool, *(text.replace("\n", " ") for text in shown)])


def _prose(message: str) -> str:
    text = THOUGHT.sub("", message)
    call = CALL.search(text)
    return text[: call.start() if call else len(text)].strip()
