"""The task of the model: the system prompt before its tools, and the user's request."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from importlib.resources import files
from typing import Literal

from evograft.api import UserError
from evograft.text.i18n import Catalog

Document = Literal["explain", "readme", "api"]


def build_role(words: Catalog, tools: Collection[str]) -> str:
    """Return what the system prompt says before the tools.

    Of the ways to find things it names those that are offered.
    """
    ways = [tool for tool in ("search", "outline") if tool in tools]
    return _prompt("role", words.language).replace("{find}", words("_".join(["find", *ways])))


def build_request(words: Catalog, question: str, *, document: Document = "explain", code_map: str = "") -> str:
    """Return the first message of a conversation.

    Args:
        words: of the plugin.
        question: of the user; empty: the whole repository is to be explained. With a document, what it is to be like.
        document: what is asked for.
        code_map: of the repository; empty: none was made.
    """
    wanted = question
    if document != "explain" or not question:
        wishes = [words("wishes", text=question)] if question else []
        wanted = "\n\n".join([_prompt(document, words.language), *wishes])
    return "\n\n".join([wanted, *([words("map", text=code_map)] if code_map else [])])


def normalize_question(question: str) -> str:
    """Return the user's text in Unicode's form NFC, with plain line ends and nothing around it.

    Raises:
        UserError: it is empty, or no text.
    """
    text = unicodedata.normalize("NFC", question).replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise UserError("the question is empty: leave it out, and the whole repository is explained")
    try:
        text.encode()
    except UnicodeEncodeError as err:
        raise UserError("the question is no UTF-8 text") from err
    return text


def _prompt(name: str, language: str) -> str:
    return (files(__package__) / "prompts" / f"{name}.{language}.md").read_text(encoding="utf-8").strip()
