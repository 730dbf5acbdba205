"""`evo env`: the commands of this plugin, imported when they are called."""

from __future__ import annotations

import importlib

import click

COMMANDS = {
    "analyze": ("evograft_env_setup.commands.analyze:analyze", "Say what a repository needs, and how to set it up."),
    "plan": ("evograft_env_setup.commands.plan:plan", "Plan how it is set up, with a model or without."),
    "setup": ("evograft_env_setup.commands.setup:setup", "Set a repository up in a place of its own, and verify it."),
    "verify": ("evograft_env_setup.commands.verify:verify", "Verify once more what was set up."),
    "clean": ("evograft_env_setup.commands.clean:clean", "Remove what set-ups have left behind."),
}


class LazyGroup(click.Group):
    """A group that knows its commands' names and first lines without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=LazyGroup)
def env() -> None:
    """Environments for repositories: what they need, setting it up, verifying it."""
