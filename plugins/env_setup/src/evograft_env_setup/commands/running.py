"""A command in what was set up, for `evo env run`."""

from __future__ import annotations

import shlex
from contextlib import closing
from functools import partial

import click

from evograft.errors import ServiceError, UserError
from evograft_env_setup.checkout import is_address, project_of
from evograft_env_setup.command_prefix import command_line
from evograft_env_setup.commands.verification import environment_of, known_project
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.workshop import CommandOutcome, KeepingWorkshop, WorkshopUnavailable
from evograft_env_setup.workshop.place import open_workshop


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
    try:
        found = known_project(project, options.place)
        environment = environment_of(found.made, options)
        built = found.completed(environment)
        there = options.model_copy(update={"place": built.place, "programs": built.programs})
        workshop, _ = open_workshop(project, environment, there, image=built.image)
        with closing(workshop):
            workshop.reopen(built)
            if updates and not is_address(project):
                _update(workshop, project)
            tell, tell_error = (_echo, partial(_echo, err=True)) if streams else (None, None)
            return workshop.run(
                command_line(built, words),
                timeout=options.timeout,
                network=options.network != "none",
                on_output=tell,
                on_error=tell_error,
            )
    except WorkshopUnavailable as err:
        raise ServiceError(str(err)) from err


def _update(workshop: KeepingWorkshop, project: str) -> None:
    copied = workshop.update(project)
    if copied.exit_code:
        why = " ".join(copied.stderr.split())
        raise UserError(f"can't copy {project!r} over what was set up ({why}): evo env setup {shlex.quote(project)}")


def _echo(piece: str, *, err: bool = False) -> None:
    click.echo(piece, nl=False, err=err)
