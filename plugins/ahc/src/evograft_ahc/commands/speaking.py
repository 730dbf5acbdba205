"""Errors in the user's language."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from evograft.errors import EvograftError, ServiceError, UserError
from evograft_ahc.messages import BilingualError, Language


@contextmanager
def speaking(language: Language | None = None) -> Iterator[None]:
    """Errors that know several languages leave the block in one.

    Args:
        language: which; `None`: that of the settings that hold here.
    """
    try:
        yield
    except BilingualError as err:
        kind = UserError if isinstance(err, UserError) else ServiceError
        raise kind(err.said(language or _language_here())) from err


def _language_here() -> Language:
    from evograft_ahc.commands.here import settings_here

    try:
        return settings_here()[0].language
    except EvograftError:  # the settings themselves may be what is wrong
        return "en"
