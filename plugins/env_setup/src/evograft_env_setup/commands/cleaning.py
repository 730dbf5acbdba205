"""Removing what set-ups leave behind."""

from __future__ import annotations

from dataclasses import dataclass

from evograft_env_setup.sandbox import WorkshopUnavailable
from evograft_env_setup.sandbox.bwrap.kept_environments import forget, kept_environments
from evograft_env_setup.sandbox.bwrap.own_folder import kept_packages, remove_idle, remove_leftovers, remove_tree
from evograft_env_setup.sandbox.docker.engine import engine, explained, remove_images, remove_orphans, remove_volumes


@dataclass(frozen=True)
class Cleaned:
    """What a removal came to."""

    removed: tuple[str, ...]
    in_use: tuple[str, ...]
    """What stays, because somebody works in it at the moment."""
    errors: tuple[str, ...]
    """Why something could not be looked at."""


def cleaned(*, kept: bool) -> Cleaned:
    """Remove what nobody needs any more.

    Args:
        kept: whether what was set up goes, too.
    """
    removed = list(map(str, remove_leftovers()))
    in_use: list[str] = []
    if kept:
        for done in (remove_idle(kept_environments(), forget), remove_idle(kept_packages(), remove_tree)):
            removed += map(str, done.removed)
            in_use += map(str, done.in_use)
    errors = []
    try:
        with engine() as client, explained():
            removed += remove_orphans(client)
            if kept:
                removed += [*remove_images(client), *remove_volumes(client)]
    except WorkshopUnavailable as err:
        errors.append(str(err))
    return Cleaned(tuple(removed), tuple(in_use), tuple(errors))
