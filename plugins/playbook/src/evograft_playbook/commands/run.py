"""`evo playbook run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evograft_playbook.commands.options import json_option, playbook_option, query_argument, set_option


@click.command()
@query_argument
@click.option(
    "--dataset", default="default", metavar="NAME", show_default=True, help="Names the template of the prompt."
)
@click.option("--llm", metavar="DRIVER[:MODEL]", help="The llm driver and model, such as ollama:qwen3 or manual.")
@set_option
@click.option("--prompts", default="prompts/generator", metavar="DIR", show_default=True, help="Templates of your own.")
@click.option("--language", type=click.Choice(["en", "ja"]), help="Of the shipped templates; else that of your locale.")
@click.option("--top-k", default=10, type=click.IntRange(min=1), show_default=True, help="Bullets in a prompt at most.")
@click.option("--max-tokens", default=8192, type=click.IntRange(min=1), show_default=True, help="Of the answer.")
@click.option(
    "--generator", metavar="MODULE:NAME", help="An agent of your own in the place of the one that is shipped."
)
@click.option("--output", type=click.Path(path_type=Path), help="Keep the trajectory in this file, for feedback.")
@playbook_option
@json_option
def run(**given: Any) -> int:
    """Answer QUERY with the bullets that fit; the exit code is 4 where there is no answer."""
    from evograft.cli_kit.signals import interrupt_on_signals
    from evograft_playbook.commands.answer import AnswerArguments, answer_question, print_trajectory
    from evograft_playbook.commands.output import print_json, write_file

    interrupt_on_signals()
    asked = AnswerArguments(**given)
    trajectory = answer_question(asked)
    if asked.as_json:
        print_json(trajectory.model_dump(mode="json"))
    else:
        print_trajectory(trajectory)
    if asked.output is not None:
        write_file(asked.output, f"{trajectory.model_dump_json(indent=2)}\n")
    return 0 if trajectory.status == "success" else 4
