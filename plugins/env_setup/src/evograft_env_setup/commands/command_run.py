"""A command in what was set up, for `evo env run`."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path

import click

from evograft.api import UserError
from evograft_env_setup.commands.changed_files import find_changed
from evograft_env_setup.commands.kept_environment import KeptEnvironment, open_kept_environment
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.sandbox import CommandOutcome
from evograft_env_setup.sandbox.command_prefix import build_command_line
from evograft_env_setup.setup.checkout import is_address, project_of
from evograft_env_setup.text.printable import escape_unprintable


def run_in_environment(
    target: str, words: tuple[str, ...], options: EnvSetupOptions, *, updates: bool, streams: bool
) -> CommandOutcome:
    """Run a command in a copy of what the set-up of the project has left.

    Args:
        target: a folder, or the address that was set up.
        words: the command.
        options: of the place.
        updates: whether the project's files of now are copied there first; those of an address never are.
        streams: whether what it prints goes to standard output and standard error as it comes.

    Raises:
        UserError: the project is not set up here, or can't be copied.
        ServiceError: neither an engine nor bubblewrap can do it.
    """
    project = project_of(target)
    with open_kept_environment(project, options) as kept:
        kept.sandbox.reopen(kept.built)
        if updates and not is_address(project):
            _update(kept, project)
        tell, tell_error = (_echo, partial(_echo, err=True)) if streams else (None, None)
        return kept.sandbox.run(
            build_command_line(kept.built, words),
            timeout=options.timeout,
            network=options.network != "none",
            on_output=tell,
            on_error=tell_error,
        )


def _update(kept: KeptEnvironment, project: str) -> None:
    changed = find_changed(kept.planned.detected_files, Path(project), kept.sandbox)
    set_up = f"evo env setup {shlex.quote(project)}"
    if changed:
        files = escape_unprintable(", ".join(changed))
        click.echo(f"warning: changed since the project was set up: {files}: {set_up}", err=True)
    copied = kept.sandbox.update(project)
    if copied.exit_code:
        why = " ".join(copied.stderr.split())
        raise UserError(f"can't copy {project!r} over what was set up ({why}): {set_up}")


def _echo(piece: str, *, err: bool = False) -> None:
    click.echo(piece, nl=False, err=err)
