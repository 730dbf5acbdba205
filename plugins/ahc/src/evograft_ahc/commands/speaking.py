"""Errors in the user's language."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from evograft.errors import ServiceError, UserError
from evograft_ahc.messages import BilingualError, Language


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Errors that know several languages leave the block in this one."""
    try:
        yield
    except BilingualError as err:
        kind = UserError if isinstance(err, UserError) else ServiceError
        raise kind(err.said(language)) from err
