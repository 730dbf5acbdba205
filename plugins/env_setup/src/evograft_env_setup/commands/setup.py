"""`evo env setup`."""

from __future__ import annotations

import json
from typing import Any

import click

from evograft_env_setup.commands.options import ENVIRONMENTS, memory_option, place_option, read_options, timeout_option


@click.command()
@click.argument("root", default=".", metavar="[PATH|GIT_URL]")
@click.option("--ref", default="", metavar="REF", help="The branch, tag, commit or refs/pull/N/head of an address.")
@click.option("--submodules", is_flag=True, help="Fetch what the repository of an address names, too.")
@click.option("--task", default="", metavar="TEXT", help="What is to be done there; it decides between languages.")
@click.option(
    "--llm", metavar="DRIVER[:MODEL]", help="The llm driver and model that plan and correct; else the rules plan."
)
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting; repeatable.")
@click.option("--report", multiple=True, metavar="PLACE", help="A Markdown file, or an issue; repeatable.")
@place_option("Where it is built; auto: in a container, in bubblewrap where no Docker engine answers.")
@click.option("--network", default="bridge", show_default=True, help="Of setup commands in a container; none: none.")
@click.option(
    "--programs",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="A folder outside of /usr whose programs commands in bubblewrap may run; repeatable.",
)
@click.option("--as-root", is_flag=True, help="Run commands as root of the container.")
@click.option("--fresh", is_flag=True, help="Recall nothing of an earlier set-up.")
@timeout_option(1800, "a command")
@memory_option("all commands")
@click.option(
    "--depth", default=1, type=click.IntRange(min=0), help="Levels of folders that are looked at.", show_default=True
)
@ENVIRONMENTS
@click.option(
    "--language", type=click.Choice(["en", "ja"]), help="Of the comment on a failure; else that of your locale."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def setup(
    llm: str | None,
    overrides: tuple[str, ...],
    *,
    as_json: bool,
    **given: Any,
) -> None:
    """Set the repository up in a place of its own: plan, build, verify exactly, repair.

    It ends with 0 if the environment is ready, and with 4 if it is not; what was set up in a container is kept.
    """
    from evograft.api import ServiceError
    from evograft.cli_kit.signals import interrupt_on_signals
    from evograft_env_setup.commands.target_setup import SetupRequest, format_setup, set_up_target

    interrupt_on_signals()
    options = read_options(**given)
    done = set_up_target(SetupRequest(options, llm, overrides), quiet=as_json)
    click.echo(json.dumps(done.to_json(), ensure_ascii=False) if as_json else format_setup(done))
    if not done.is_ready:
        click.get_current_context().exit(ServiceError.exit_code)
