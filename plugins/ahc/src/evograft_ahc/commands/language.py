"""What commands say, in the user's language."""

from __future__ import annotations

import click

from evograft.api import EvograftError
from evograft_ahc.text.messages import Language, Tell


def speaker(language: Language, *, err: bool = False) -> Tell:
    """Prints in a language.

    Args:
        language: which.
        err: to stderr.
    """

    def tell(en: str, *, ja: str) -> None:
        click.echo(ja if language == "ja" else en, err=err)

    return tell


def language_here() -> Language:
    """That of the settings that hold in the current folder."""
    from evograft_ahc.commands.location import settings_here

    try:
        return settings_here()[0].language
    except EvograftError:  # the settings themselves may be what is wrong
        return "en"
