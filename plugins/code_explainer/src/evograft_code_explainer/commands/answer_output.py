"""An answer for a person: as Markdown on standard output or in a file, everything else on standard error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from evograft.api import UserError, write_atomically
from evograft.text.escapes import escape_controls, sanitize
from evograft.text.i18n import Catalog
from evograft_code_explainer.questions.citations import mark_wrong
from evograft_code_explainer.questions.result import QuestionResult


def format_answer(outcome: QuestionResult, words: Catalog) -> str:
    """Return the text with marks at wrong citations, and nothing in it that could steer a terminal."""
    return escape_controls(mark_wrong(outcome.text, outcome.citations, words("not_found")))


def print_answer(outcome: QuestionResult, text: str, words: Catalog, *, written: Path | None) -> None:
    """Print the result of a question.

    Args:
        outcome: of the question.
        text: of it, as it can be shown.
        words: of the plugin.
        written: the file that has the text, which then is not printed.
    """
    if outcome.outcome != "complete":
        click.echo(sanitize(words("incomplete", reason=outcome.reason)).replace("\n", " "), err=True)
    if written:
        click.echo(words("written", path=written), err=True)
    elif text:
        _print(text)
    click.echo(_figures(outcome, words), err=True)
    click.echo(_hint(outcome, words), err=True)


def write_answer(path: Path, text: str, *, conversation: str, overwriting: bool) -> None:
    """Write the answer of a conversation whole or not at all; what was put there meanwhile stays."""
    kept = f"the answer is kept, see: evo explain --continue {conversation}"
    try:
        write_atomically(path, text.rstrip("\n").encode() + b"\n", replacing=overwriting)
    except FileExistsError as err:
        raise UserError(f"--output {str(path)!r} was made by somebody else meanwhile; {kept}") from err
    except OSError as err:
        raise UserError(f"--output {str(path)!r} cannot be written: {err.strerror}; {kept}") from err


def require_writable(path: Path, *, overwriting: bool) -> None:
    """Before anything is spent: a place where the answer can't be written, or would replace a file, is a UserError."""
    try:
        is_there = path.is_file() or (path.is_symlink() and not path.exists())
        folder = next(each for each in path.absolute().parents if each.exists())
        is_possible = not path.is_dir() and folder.is_dir() and os.access(folder, os.W_OK)
    except OSError:
        is_there = is_possible = False
    if is_there and not overwriting:
        raise UserError(f"--output {str(path)!r} is there already: name another file, or replace it with --overwrite")
    if not is_possible:
        raise UserError(f"--output {str(path)!r} cannot be written: name a file in a folder of yours")


def _print(text: str) -> None:
    if not sys.stdout.isatty():
        click.echo(text)
        return
    from markdown_it import MarkdownIt
    from rich.console import Console
    from rich.markdown import Markdown

    # The text of a link may name another place than its target: both are shown.
    markdown = Markdown(text, hyperlinks=False)
    # Rich leaves HTML out, and a type such as List<String> looks like it: to this parser it is text.
    markdown.parsed = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).parse(text)
    Console().print(markdown)


def _figures(outcome: QuestionResult, words: Catalog) -> str:
    citations = [words("citations", n=len(outcome.citations))] if outcome.citations else []
    if outcome.wrong_citations:
        citations.append(words("wrong", n=outcome.wrong_citations))
    dollars = words("price_unknown") if outcome.dollars is None else words("dollars", dollars=outcome.dollars)
    malformed = [words("malformed", n=outcome.malformed)] if outcome.malformed else []
    steps, tokens = words("steps", n=outcome.steps), words("tokens", n=f"{outcome.tokens:,}")
    return "  ".join([steps, *([", ".join(citations)] if citations else []), *malformed, tokens, dollars])


def _hint(outcome: QuestionResult, words: Catalog) -> str:
    """Say how to continue."""
    return words(f"after_{outcome.outcome}", id=outcome.conversation_id, steps=2 * outcome.steps)
