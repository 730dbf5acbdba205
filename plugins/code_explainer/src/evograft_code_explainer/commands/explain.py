"""`evo explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("question", required=False)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--llm", metavar="DRIVER[:MODEL]", help="The llm driver and model, such as ollama:qwen3 or manual.")
@click.option("--config", type=click.Path(path_type=Path), help="A pipeline file instead of the plugin's own.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting; repeatable.")
@click.option("--language", type=click.Choice(["en", "ja"]), help="Of the answer; else that of your locale.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the answer to this file, as Markdown.")
@click.option("--overwrite", is_flag=True, help="Let --output replace a file that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; nothing is said meanwhile.")
@click.option("--deep", is_flag=True, help="Give the model a map first: files, imports, entry points.")
@click.option("--readme", is_flag=True, help="Draft a README; QUESTION says what it is to be like.")
@click.option("--api", is_flag=True, help="Write an overview of the API; QUESTION says what it is to be like.")
@click.option("--allow", multiple=True, metavar="PATTERN", help="Files with keys that may be read; repeatable.")
@click.option("--steps", type=click.IntRange(min=1), help="How many messages the model may take.")
@click.option("--continue", "followed", metavar="ID", help="Go on with a conversation, or ask it a further QUESTION.")
@click.option("--list", "listing", is_flag=True, help="List the conversations.")
@click.option("--show", metavar="ID", help="Print a conversation.")
@click.option("--delete", metavar="ID", help="Remove a conversation for good.")
def explain(**given: Any) -> int:
    """Let a model read the code in PATH and answer QUESTION about it, with citations.

    Without QUESTION it explains the whole repository; `-` reads it from standard input. PATH is the current folder
    where none is named. ID is that of a conversation, or `latest`.
    """
    from evograft_code_explainer.commands import conversations, question
    from evograft_code_explainer.commands.arguments import read_question, require_compatible

    require_compatible(given)
    listing, shown, deleted = given.pop("listing"), given.pop("show"), given.pop("delete")
    if listing:
        return conversations.list_all(as_json=given["as_json"], language=given["language"])
    if shown is not None:
        return conversations.show(shown, as_json=given["as_json"], language=given["language"])
    if deleted is not None:
        return conversations.delete(deleted, language=given["language"])
    return question.ask(read_question(given))
