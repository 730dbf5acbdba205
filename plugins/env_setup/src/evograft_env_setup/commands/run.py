"""`evo env run`."""

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

SEPARATOR = "--"
HOST_OF_SIGNALS = 128
"""A shell tells the end by a signal as an exit code above this one."""


class CommandAfterSeparator(click.Command):
    """A command whose arguments after `--` are another one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index(SEPARATOR) if SEPARATOR in args else len(args)
        ctx.meta[SEPARATOR] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "[OPTIONS] [PATH|GIT_URL] -- COMMAND...")


@click.command(cls=CommandAfterSeparator)
@click.argument("target", default=".", metavar="[PATH|GIT_URL]")
@WHERE_SET_UP
@click.option(
    "--network", default="none", show_default=True, help="The engine's network for the command, such as bridge."
)
@click.option("--as-set-up", is_flag=True, help="Run in the files of the set-up, without those changed since.")
@timeout_option(86_400, "the command")
@memory_option("the command")
@ENVIRONMENTS_OF_SET_UP
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of what the command prints.")
def run(target: str, **given: Any) -> None:
    """Run COMMAND in a copy of what `evo env setup` has set up for the project, as its verification ran.

    The project's files as they are now are copied there first; what the command writes is gone afterwards. It ends with
    the exit code of the command.
    """
    from evograft.cli_kit.signals import interrupt_on_signals
    from evograft_env_setup.commands.command_run import run_in_environment

    ctx = click.get_current_context()
    words: tuple[str, ...] = ctx.meta[SEPARATOR]
    if not words:
        raise click.UsageError("name a command after --: evo env run -- pytest", ctx)
    interrupt_on_signals()
    as_json, as_set_up = given.pop("as_json"), given.pop("as_set_up")
    options = read_options(**given)
    outcome = run_in_environment(target, words, options, updates=not as_set_up, streams=not as_json)
    if as_json:
        click.echo(json.dumps(outcome.model_dump(mode="json"), ensure_ascii=False))
    ctx.exit(outcome.exit_code if outcome.exit_code >= 0 else HOST_OF_SIGNALS - outcome.exit_code)
