"""Removing what set-ups leave behind."""

from __future__ import annotations

from evograft_env_setup.workshop import WorkshopUnavailable, bwrap
from evograft_env_setup.workshop.engine import engine, explained, remove_images, remove_orphans, remove_volumes


def cleaned(*, kept: bool) -> tuple[list[str], list[str]]:
    """Removes what nobody needs any more.

    Args:
        kept: whether what was set up goes, too.

    Returns:
        The names of what was removed, and what could not be looked at.
    """
    removed = [str(folder) for folder in bwrap.remove_leftovers()]
    try:
        with engine() as client, explained():
            removed += remove_orphans(client)
            if kept:
                removed += [*remove_images(client), *remove_volumes(client)]
    except WorkshopUnavailable as err:
        return removed, [str(err)]
    return removed, []
