"""What commands say, in the user's language."""

from __future__ import annotations

import click

from evograft.api import EvograftError
from evograft_ahc.text.messages import Language, ProgressReporter


def make_printer(language: Language, *, err: bool = False) -> ProgressReporter:
    """Return a function that prints in a language.

    Args:
        language: which.
        err: to stderr.
    """

    def tell(en: str, *, ja: str) -> None:
        click.echo(ja if language == "ja" else en, err=err)

    return tell


def find_language() -> Language:
    """Return the language of the settings that hold in the current folder."""
    from evograft_ahc.commands.location import load_current_settings

    try:
        return load_current_settings()[0].language
    except EvograftError:  # the settings themselves may be what is wrong
        return "en"
