"""`evo env plan`."""

from __future__ import annotations

import json
from typing import Any

import click

from evograft_env_setup.commands.options import ENVIRONMENTS, read_options


@click.command()
@click.argument("path", default=".", type=click.Path())
@click.option("--task", default="", metavar="TEXT", help="What is to be done there; it decides between languages.")
@click.option("--llm", metavar="DRIVER[:MODEL]", help="The llm driver and model that plan; else the rules do.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting; repeatable.")
@click.option(
    "--depth", default=1, type=click.IntRange(min=0), help="Levels of folders that are looked at.", show_default=True
)
@ENVIRONMENTS
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(llm: str | None, overrides: tuple[str, ...], *, as_json: bool, **given: Any) -> None:
    """Plan how the repository in PATH is set up and verified, with a model or without; nothing of it is run."""
    from evograft.cli_kit.signals import interrupt_on_signals
    from evograft_env_setup.commands.plan_view import format_plan, open_plan, selected_environment
    from evograft_hookspecs.values import thaw

    interrupt_on_signals()
    options = read_options(root=given.pop("path"), **given)
    with open_plan(options, llm=llm, overrides=overrides) as (report, _):
        for warning in report.errors:
            click.echo(f"warning: {warning}", err=True)
        facts = thaw(report.facts["plan"])
        click.echo(
            json.dumps(facts, ensure_ascii=False) if as_json else format_plan(selected_environment(report), options)
        )
