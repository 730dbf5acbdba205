"""`evo playbook feedback`."""

from __future__ import annotations

from typing import Any

import click

from evograft_playbook.commands.options import json_option, playbook_option, set_option


@click.command()
@click.argument("what", nargs=-1, required=True)
@click.option("--helpful/--harmful", default=None, help="What they did to the answer.")
@click.option("--text", default="", help="What was good or bad about it; only a model reads it.")
@click.option("--llm", metavar="DRIVER[:MODEL]", help="A model that draws lessons, such as ollama:qwen3 or manual.")
@set_option
@click.option("--language", type=click.Choice(["en", "ja"]), help="Of its prompt; else that of your locale.")
@click.option("--max-tokens", default=4096, type=click.IntRange(min=1), show_default=True, help="Of its answer.")
@playbook_option
@json_option
def feedback(**given: Any) -> int:
    """Say what bullets did to an answer.

    WHAT is the file of an answer, as `evo playbook run --json` prints it, or ids of bullets. Without a model each
    bullet is counted as helpful or harmful. With one, the model says which bullets were at work and what is to be
    learned; the exit code is 4 where that comes to nothing.
    """
    from evograft.cli_kit.signals import interrupt_on_signals
    from evograft_playbook.commands.output import print_json
    from evograft_playbook.commands.reflection import FeedbackArguments, print_feedback, reflect

    interrupt_on_signals()
    asked = FeedbackArguments(**given)
    taught = reflect(asked)
    if asked.as_json:
        print_json(taught.model_dump(mode="json"))
    else:
        print_feedback(taught)
    return 4 if asked.asks_model and taught.skipped else 0
