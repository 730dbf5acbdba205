"""`evo env`: the commands of this plugin, imported when they are called."""

from __future__ import annotations

import click

from evograft.cli_kit.lazy_group import LazyGroup

COMMANDS = {
    "analyze": ("evograft_env_setup.commands.analyze:analyze", "Say what a repository needs, and how to set it up."),
    "plan": ("evograft_env_setup.commands.plan:plan", "Plan how it is set up, with a model or without."),
    "setup": ("evograft_env_setup.commands.setup:setup", "Set a repository up in a place of its own, and verify it."),
    "run": ("evograft_env_setup.commands.run:run", "Run a command in what was set up."),
    "verify": ("evograft_env_setup.commands.verify:verify", "Verify once more what was set up."),
    "clean": ("evograft_env_setup.commands.clean:clean", "Remove what set-ups have left behind."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def env() -> None:
    """Environments for repositories: what they need, setting it up, verifying it."""
