"""`evo env verify`."""

from __future__ import annotations

import json
from typing import Any

import click

from evograft_env_setup.commands.options import (
    ENVIRONMENTS_OF_SET_UP,
    WHERE_SET_UP,
    memory_option,
    read_options,
    timeout_option,
)


@click.command()
@click.argument("target", default=".", metavar="[PATH|GIT_URL]")
@WHERE_SET_UP
@click.option("--as-root", is_flag=True, help="As the set-up had it.")
@memory_option("all commands")
@timeout_option(1800, "a command")
@ENVIRONMENTS_OF_SET_UP
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def verify(target: str, *, as_json: bool, **given: Any) -> None:
    """Run the verification commands of a project that `evo env setup` has set up, without a network.

    It ends with 0 if all of them print what they should, and with 4 if not.
    """
    from evograft.api import ServiceError
    from evograft.cli_kit.signals import interrupt_on_signals
    from evograft_env_setup.commands.verification import format_verification, verify_target

    interrupt_on_signals()
    options = read_options(**given)
    result = verify_target(target, options, quiet=as_json)
    click.echo(
        json.dumps(result.model_dump(mode="json"), ensure_ascii=False) if as_json else format_verification(result)
    )
    if result.status != "success":
        click.get_current_context().exit(ServiceError.exit_code)
