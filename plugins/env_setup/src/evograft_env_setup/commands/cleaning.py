"""Removing what set-ups leave behind."""

from __future__ import annotations

from evograft_env_setup.workshop import WorkshopUnavailable
from evograft_env_setup.workshop.engine import engine, explained, remove_images, remove_orphans, remove_volumes
from evograft_env_setup.workshop.kept_environments import forget, idle_environments
from evograft_env_setup.workshop.own_folder import kept_packages, remove_leftovers, remove_tree


def cleaned(*, kept: bool) -> tuple[list[str], list[str]]:
    """Removes what nobody needs any more.

    Args:
        kept: whether what was set up goes, too.

    Returns:
        The names of what was removed, and what could not be looked at.
    """
    folders = remove_leftovers()
    if kept:
        folders += [folder for folder in idle_environments() if forget(folder)]
        folders += [folder for folder in kept_packages() if remove_tree(folder)]
    removed = list(map(str, folders))
    try:
        with engine() as client, explained():
            removed += remove_orphans(client)
            if kept:
                removed += [*remove_images(client), *remove_volumes(client)]
    except WorkshopUnavailable as err:
        return removed, [str(err)]
    return removed, []
