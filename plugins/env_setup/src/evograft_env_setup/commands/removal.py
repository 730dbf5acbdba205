"""Removing what set-ups leave behind."""

from __future__ import annotations

from dataclasses import dataclass

from evograft_env_setup.sandbox import SetupSandboxUnavailable
from evograft_env_setup.sandbox.bwrap.kept_environments import forget, list_kept_environments
from evograft_env_setup.sandbox.bwrap.own_folder import list_kept_packages, remove_idle, remove_leftovers, remove_tree
from evograft_env_setup.sandbox.docker.engine import (
    OWNER,
    connect,
    explain_docker_errors,
    remove_images,
    remove_volumes,
)
from evograft_sandbox.docker_engine import remove_orphans


@dataclass(frozen=True)
class CleanUp:
    """What a removal came to."""

    removed: tuple[str, ...]
    in_use: tuple[str, ...]
    """What stays, because somebody works in it at the moment."""
    errors: tuple[str, ...]
    """Why something could not be looked at."""


def clean_up(*, kept: bool) -> CleanUp:
    """Remove what nobody needs any more.

    Args:
        kept: whether what was set up goes, too.
    """
    removed = list(map(str, remove_leftovers()))
    in_use: list[str] = []
    if kept:
        for done in (remove_idle(list_kept_environments(), forget), remove_idle(list_kept_packages(), remove_tree)):
            removed += map(str, done.removed)
            in_use += map(str, done.in_use)
    errors = []
    try:
        with connect() as client, explain_docker_errors():
            removed += remove_orphans(client, OWNER, volumes=True)
            if kept:
                removed += [*remove_images(client), *remove_volumes(client)]
    except SetupSandboxUnavailable as err:
        errors.append(str(err))
    return CleanUp(tuple(removed), tuple(in_use), tuple(errors))
