"""`evo ahc`: the commands of this plugin, imported when they are called."""

from __future__ import annotations

import importlib
from typing import Any

import click

COMMANDS = {
    "init": ("evograft_ahc.commands.init:init", "Make the workspace of a contest: statement, tools, inputs, settings."),
    "solve": ("evograft_ahc.commands.solve:solve", "Search for a better program."),
    "test": ("evograft_ahc.commands.test:test", "Score a program on cases of the workspace."),
    "compare": ("evograft_ahc.commands.compare:compare", "Compare two programs case by case."),
    "docker": ("evograft_ahc.commands.docker:docker", "The workspace's development image, and a shell in it."),
    "status": ("evograft_ahc.commands.status:status", "Say how a session stands."),
    "stop": ("evograft_ahc.commands.stop:stop", "Stop a session; it can go on later."),
    "batch": ("evograft_ahc.commands.batch:batch", "Run every combination of settings and problems."),
    "submit-file": (
        "evograft_ahc.commands.submit_file:submit_file",
        "Put the best program where it can be pasted from.",
    ),
    "config": ("evograft_ahc.commands.config:config", "Show or set your settings of contests."),
    "knowledge": ("evograft_ahc.commands.knowledge:knowledge", "What earlier sessions have shown."),
    "library": ("evograft_ahc.commands.library:library", "The algorithm library: C++ blocks to paste into a solution."),
    "database": ("evograft_ahc.commands.database:database", "What is known about past contests."),
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

    def invoke(self, ctx: click.Context) -> Any:
        from evograft_ahc.commands.speaking import speaking

        with speaking():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=LazyGroup)
def ahc() -> None:
    """AtCoder Heuristic Contests."""
