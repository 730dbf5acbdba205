"""`evo env verify`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("target", default=".", metavar="[PATH|GIT_URL]")
@click.option(
    "--place",
    type=click.Choice(["auto", "docker", "bwrap"]),
    default="auto",
    show_default=True,
    help="Where it was set up; auto: in a container, or else in bubblewrap.",
)
@click.option("--as-root", is_flag=True, help="As the set-up had it.")
@click.option("--memory-mb", type=click.IntRange(min=64), default=8192, show_default=True, help="Of all commands.")
@click.option(
    "--timeout",
    type=click.IntRange(1, 86_400),
    default=1800,
    show_default=True,
    help="Seconds of a command, up to a day.",
)
@click.option("--environments", type=click.Path(path_type=Path), help="The YAML file that the set-up had.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def verify(target: str, environments: Path | None, *, as_json: bool, **given: Any) -> None:
    """Run the verification commands of a project that `evo env setup` has set up, without a network.

    It ends with 0 if all of them print what they should, and with 4 if not.
    """
    from evograft.errors import ServiceError
    from evograft.signals import interrupt_on_signals
    from evograft_env_setup.commands.verification import shown, verified
    from evograft_env_setup.options import EnvSetupOptions

    interrupt_on_signals()
    options = EnvSetupOptions(environments=str(environments) if environments else None, **given)
    result = verified(target, options, quiet=as_json)
    click.echo(json.dumps(result.model_dump(mode="json"), ensure_ascii=False) if as_json else shown(result))
    if result.status != "success":
        click.get_current_context().exit(ServiceError.exit_code)
