"""`evo skill`: what a coding agent has to know to use evograft, as a file that such agents read."""

from __future__ import annotations

from importlib.resources import files

import click

from evograft.cli_kit.printing import print_json, print_text


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: name, description, text.")
def skill(*, as_json: bool) -> None:
    """Print a SKILL.md for coding agents: what evograft does, its commands, the rules of a good evaluator.

    Save it where an agent looks for skills, such as .claude/skills/evograft/SKILL.md.
    """
    text = files("evograft_program").joinpath("skill.md").read_text(encoding="utf-8")
    if not as_json:
        print_text(text, nl=False)
        return
    head = text.split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    print_json({**fields, "text": text})
