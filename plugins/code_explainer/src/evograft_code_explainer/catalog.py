"""The plugin's words."""

from __future__ import annotations

from evograft.text.i18n import Catalog, usual_language


def load_catalog(language: str | None) -> Catalog:
    """Return the plugin's words in a language; `None`: in that of the user's locale."""
    return Catalog(language or usual_language(), __package__ or "")
